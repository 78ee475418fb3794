/**
 * `people` and `tokens`: who may sign in to the server, and what programs sign in with. They work on the database itself:
 * the first person cannot sign in yet, and over the API nobody can make anybody more than they are.
 */

import { text } from "node:stream/consumers";
import { parseDuration } from "../define/duration.ts";
import {
  addPerson,
  changePerson,
  createToken,
  listTokens,
  revokeToken,
  type PeopleParts,
  type PersonEdit,
} from "../people/people.ts";
import { JSON_OPTION } from "./act.ts";
import { accountName } from "./account-name.ts";
import { needed, usage, type Call, type Command, type OptionSpec } from "./command.ts";
import { DATABASE_OPTIONS } from "./database-options.ts";
import { withOpened, type Opened } from "./open.ts";
import { tableLines } from "./table.ts";
import { columns, say, sayJson } from "./terminal.ts";
import { formatTime } from "./times.ts";

const noServer = "who may do what is set on the database itself, so that nobody can give rights over the API";
const role: OptionSpec = {
  name: "role",
  value: "ROLE",
  help: "viewer, operator, approver, admin, or one of the configuration; may be repeated",
  isRepeatable: true,
};
const passwordStdin: OptionSpec = {
  name: "password-stdin",
  value: null,
  help: "read the password from standard input; else one is made and shown once",
};
const PASSWORD_INPUT_CHARS_MAX = 10_000;

/** Adds a person. */
export const peopleAddCommand: Command = {
  name: "people add",
  summary: "add a person who may sign in",
  positionals: ["NAME"],
  options: [role, passwordStdin, JSON_OPTION, ...DATABASE_OPTIONS],
  noServer,
  notes: ["Their name stands with everything that they do. What roles grant stands in the configuration."],
  run: (call) =>
    withPeople(call, async (parts) => {
      const name = needed(call, 0);
      const { madePassword } = await addPerson(parts, {
        name,
        roles: call.texts("role"),
        password: await readPassword(call),
      });
      sayDone(call, { name, madePassword }, `Added ${name}.`);
    }),
};

/** Changes a person. */
export const peopleChangeCommand: Command = {
  name: "people change",
  summary: "give a person other roles or a new password; their sessions end",
  positionals: ["NAME"],
  options: [
    role,
    { name: "new-password", value: null, help: "make a new password and show it once" },
    passwordStdin,
    { name: "enable", value: null, help: "let a disabled person sign in again" },
    JSON_OPTION,
    ...DATABASE_OPTIONS,
  ],
  noServer,
  notes: ["Roles given here take the place of all that the person had."],
  run: (call) =>
    withPeople(call, async (parts) => {
      const roles = call.texts("role");
      const hasPassword = call.flag("new-password") || call.flag("password-stdin");
      const edit: PersonEdit = {
        ...(roles.length === 0 ? {} : { roles }),
        ...(hasPassword ? { password: await readPassword(call) } : {}),
        ...(call.flag("enable") ? { isDisabled: false } : {}),
      };
      if (Object.keys(edit).length === 0) throw usage(call.command, "Nothing to change is given.");
      const name = needed(call, 0);
      const { madePassword } = await changePerson(parts, name, edit);
      const sentence = `Changed ${name}; whoever was signed in as them is not any more.`;
      sayDone(call, { name, madePassword }, sentence);
    }),
};

/** Disables a person. */
export const peopleDisableCommand: Command = {
  name: "people disable",
  summary: "let a person sign in no more; sessions and tokens end at once",
  positionals: ["NAME"],
  options: [JSON_OPTION, ...DATABASE_OPTIONS],
  noServer,
  notes: ["What they did keeps their name."],
  run: (call) =>
    withPeople(call, async (parts) => {
      const name = needed(call, 0);
      const { madePassword } = await changePerson(parts, name, { isDisabled: true });
      sayDone(call, { name, madePassword }, `Disabled ${name}.`);
    }),
};

/** Makes a token. */
export const tokensCreateCommand: Command = {
  name: "tokens create",
  summary: "make a token with which a program uses the API as a person",
  positionals: ["LABEL"],
  options: [
    { name: "person", value: "NAME", help: "whom it acts as; it never may more than they" },
    { name: "scope", value: "VERB", help: "narrow it to this right; may be repeated", isRepeatable: true },
    { name: "lasts", value: "TIME", help: "how long, such as 90d; until it is revoked when left out" },
    JSON_OPTION,
    ...DATABASE_OPTIONS,
  ],
  noServer,
  notes: ["The token is shown this once. Send it as: Authorization: Bearer TOKEN"],
  run: (call) =>
    withPeople(call, async (parts) => {
      const person = call.text("person");
      if (person === null) throw usage(call.command, "--person is missing.");
      const lasts = call.text("lasts");
      const made = await createToken(parts, {
        label: needed(call, 0),
        person,
        scopes: call.texts("scope"),
        lastsMs: lasts === null ? null : parseDuration(lasts),
      });
      if (call.flag("json")) {
        sayJson({ person, ...made });
        return;
      }
      say(`${made.tokenId} acts as ${person}. The token, shown this once:`);
      say(made.secret);
    }),
};

/** Lists tokens. */
export const tokensListCommand: Command = {
  name: "tokens list",
  summary: "show which tokens there are, and whose",
  positionals: [],
  options: [JSON_OPTION, ...DATABASE_OPTIONS],
  noServer,
  notes: [],
  run: (call) =>
    withPeople(call, async (parts) => {
      const tokens = await listTokens(parts);
      if (call.flag("json")) return sayJson(tokens);
      if (tokens.length === 0) return say("No token was made.");
      const rows = tokens.map((one) => [
        one.tokenId,
        one.label,
        one.personName,
        one.scopes?.join(", ") ?? "all",
        one.endsAt === null ? "" : formatTime(one.endsAt),
        one.revokedAt === null ? "" : formatTime(one.revokedAt),
      ]);
      const heads = ["TOKEN", "LABEL", "PERSON", "SCOPES", "ENDS", "REVOKED"];
      for (const line of tableLines(heads, rows, columns())) say(line);
    }),
};

/** Revokes a token. */
export const tokensRevokeCommand: Command = {
  name: "tokens revoke",
  summary: "make a token good for nothing, at once",
  positionals: ["TOKEN"],
  options: [JSON_OPTION, ...DATABASE_OPTIONS],
  noServer,
  notes: ["TOKEN is its id, as `tokens list` shows it."],
  run: (call) =>
    withPeople(call, async (parts) => {
      const tokenId = needed(call, 0);
      await revokeToken(parts, tokenId);
      if (call.flag("json")) sayJson({ tokenId, sentence: "Revoked." });
      else say("Revoked.");
    }),
};

function withPeople(call: Call, work: (parts: PeopleParts) => Promise<void>): Promise<void> {
  return withOpened(call, { definitions: "optional" }, ({ store, roles, ports }: Opened) =>
    work({ people: store.people, roles, ids: ports.ids, by: accountName() }),
  );
}

/** Null = one is to be made. */
async function readPassword(call: Call): Promise<string | null> {
  if (!call.flag("password-stdin")) return null;
  const given = await text(process.stdin);
  return given.slice(0, PASSWORD_INPUT_CHARS_MAX).replace(/\r?\n$/, "");
}

/** What became of a person; a password that was made is told this once. */
function sayDone(
  call: Call,
  done: { readonly name: string; readonly madePassword: string | null },
  sentence: string,
): void {
  if (call.flag("json")) {
    sayJson({ ...done, sentence });
    return;
  }
  say(sentence);
  if (done.madePassword !== null) say(`Password, shown this once: ${done.madePassword}`);
}
