import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { BUILT_IN_ROLES } from "../core/rights.ts";
import { isFootholdError } from "../core/errors.ts";
import { deskWithSchedule, purchase } from "../desk/purchase.fixture.ts";
import { systemPorts } from "../engine/system.ts";
import { testApp } from "../http/app.fixture.ts";
import { cookieRules, peopleSignIn } from "../http/api/identity.ts";
import { createClient, type Client } from "../http/client/client.ts";
import { startServer, type RunningServer } from "../http/server.ts";
import { defineSource, tellCase } from "../inbox/source.ts";
import { addPerson, createToken } from "../people/people.ts";
import { memoryStore } from "../store/memory/store.ts";
import { closedPort } from "../../test/clients/closed-port.ts";
import { readCall } from "./command.ts";
import { COMMANDS, findCommand } from "./commands.ts";
import { EXIT_CODES, exitCodeOf, type ExitCode } from "./exit-codes.ts";

const order = JSON.stringify({ vendor: "ACME", amount: 12.5 });
const eventId = "e07-0123456789abcdef0123456789abcdef";
const reason = ["--reason", "asked the supplier"] as const;

const shop = defineSource("shop", {
  preset: "hmac",
  owner: "finance",
  secrets: () => "shh-this-is-a-test",
  consumers: { tell: tellCase(purchase, { on: "paid", as: "approval.revoked", key: () => "PO-1" }) },
  list: { page: () => Promise.resolve({ items: [], next: null }) },
});

const store = memoryStore();
let server: RunningServer;
/** Of an admin, and of one who only looks. */
let tokens: { readonly admin: string; readonly viewer: string };
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "foothold-token-"));
  const cookie = cookieRules(false);
  const app = testApp(store, {
    signIn: peopleSignIn(store.people, BUILT_IN_ROLES, cookie),
    sources: [shop],
    desk: await deskWithSchedule(store),
  });
  server = await startServer({ app, host: "127.0.0.1", port: 0 });
  const people = { people: store.people, roles: BUILT_IN_ROLES, ids: systemPorts().ids, by: "root" };
  const tokenOf = async (person: string, role: string): Promise<string> => {
    await addPerson(people, { name: person, roles: [role], password: "correct horse battery" });
    const token = { label: "cli", person, scopes: [], lastsMs: null };
    return (await createToken(people, token)).secret;
  };
  tokens = { admin: await tokenOf("ada", "admin"), viewer: await tokenOf("eve", "viewer") };
  await storeEvent();
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await server.close();
});
beforeEach(() => {
  // What a command would work on without a server must not be there to be found.
  vi.stubEnv("FOOTHOLD_DATABASE_URL", "postgres://nobody@127.0.0.1:1/nowhere");
  vi.stubEnv("FOOTHOLD_SERVER", server.url);
  vi.stubEnv("FOOTHOLD_TOKEN", tokens.admin);
  return () => vi.unstubAllEnvs();
});

async function storeEvent(): Promise<void> {
  const common = { tenant: "default", source: "shop" };
  const work = { consumer: "tell", lane: null, owner: "finance", withinMs: 60_000, review: "which case?" };
  const event = {
    eventId,
    itemNo: 0,
    keyKind: "delivery",
    itemHash: "0".repeat(64),
    eventType: "paid",
    subject: "PO-1",
    occurredAt: null,
    furtherKeys: [],
    standing: "routed",
    work: [work],
  } as const;
  await store.inbox.takeIn([
    {
      ...common,
      deliveryId: "d07-1",
      receivedAt: 1_000,
      how: "posted",
      scheme: "hmac",
      secretId: "#1",
      signedAt: null,
      headers: [],
      body: new Uint8Array([123, 125]),
      bodyHash: "2".repeat(64),
      events: [event],
    },
  ]);
}

interface Ran {
  readonly code: ExitCode;
  readonly stdout: string;
  /** As stderr has it. */
  readonly error: string;
}

/** Runs a command as the program does, and keeps what it prints. */
async function run(...words: readonly string[]): Promise<Ran> {
  let stdout = "";
  const printing = vi.spyOn(process.stdout, "write").mockImplementation((chunk) => {
    stdout += String(chunk);
    return true;
  });
  try {
    const { command, rest } = findCommand(words);
    const code = (await command.run(readCall(command, rest))) ?? EXIT_CODES.ok;
    return { code, stdout, error: "" };
  } catch (error) {
    if (!isFootholdError(error)) throw error;
    return { code: exitCodeOf(error), stdout, error: `${error.code}: ${error.message}` };
  } finally {
    printing.mockRestore();
  }
}

/** What is there for a command to act on. */
interface There {
  readonly caseId: string;
  readonly client: Client;
}

interface Trial {
  readonly words: (there: There) => readonly string[] | Promise<readonly string[]>;
  /** What it prints, or what it is refused with: by the server, which alone can know. */
  readonly told: RegExp;
  /** What the history of the case ends with then; left out where nothing is to be added. */
  readonly adds?: string;
}

const onCase =
  (...words: readonly string[]): Trial["words"] =>
  ({ caseId }) => [caseId, ...words];
const plain =
  (...words: readonly string[]): Trial["words"] =>
  () =>
    words;

async function repairIn({ caseId, client }: There): Promise<readonly [string, string]> {
  return [caseId, (await client.openRepair({ caseId })).repairId];
}

async function bulkIn({ caseId, client }: There): Promise<readonly string[]> {
  const act = { move: { move: "note", text: "seen" }, filter: { by: "cases", caseIds: [caseId] } } as const;
  return [(await client.startBulk(act)).bulkId];
}

const stored = /: Stored\.$/m;

/** How each command is tried. One that is not here, and says of itself that no server can do it, fails. */
const TRIALS: Readonly<Record<string, Trial>> = {
  top: { words: plain("--once"), told: /^NEEDS PEOPLE/m },
  "cases list": { words: plain("--type", "purchase", "--state", "ready,waiting"), told: /^CASE +TYPE/m },
  "cases show": { words: onCase(), told: /You can\n/ },
  "cases map": { words: plain("purchase"), told: /^approve +\d+/m },
  "cases export": { words: onCase(), told: /"format": "foothold-case-1"/ },
  "cases preview": { words: onCase("cancel"), told: /cancel --plan p/ },
  "cases start": { words: plain("purchase", "--input", order, "--at", "2h"), told: /^Started \d\d-/ },
  "cases approve": { words: onCase("--form", '{"costCenter":"7"}'), told: stored, adds: "approvalAnswered" },
  "cases reject": { words: onCase("approve", "--note", "too dear"), told: stored, adds: "approvalAnswered" },
  "cases event": {
    words: onCase("approval.revoked", "--payload", '{"why":"fraud"}', "--source", "e-1"),
    told: stored,
    adds: "eventReceived",
  },
  "cases resume": { words: onCase(), told: /^NOTHING_TO_RESUME: .*finance/ },
  "cases cancel": { words: onCase(), told: stored, adds: "canceled" },
  "cases pause": { words: onCase("--until", "2h", ...reason), told: stored, adds: "paused" },
  "cases correct": {
    words: onCase("--input", '{"vendor":"ACME","amount":7}', ...reason),
    told: stored,
    adds: "inputCorrected",
  },
  "cases confirm": { words: onCase("createRecord", ...reason), told: /^NOTHING_TO_CONFIRM: / },
  "cases rule-out": { words: onCase("createRecord", ...reason), told: /^NOTHING_TO_RULE_OUT: / },
  "cases redo": { words: onCase("createRecord", ...reason), told: /^NOTHING_TO_REDO: / },
  "cases check": { words: onCase("createRecord"), told: /^NOTHING_TO_CHECK: / },
  "cases skip": {
    words: onCase("createRecord", "--result", '{"a":1}', ...reason),
    told: /^NOTHING_TO_SKIP|: Stored\./,
  },
  "cases undo": { words: onCase("createRecord", ...reason), told: /^NOTHING_TO_UNDO: / },
  "cases leave-outside": { words: onCase("createRecord", ...reason), told: /^NOTHING_TO_LEAVE: / },
  "cases assign": { words: onCase("team-1", "--label", "Team 1"), told: stored, adds: "assigned" },
  "cases hand-over": {
    words: async (there) => {
      const [caseId, repairId] = await repairIn(there);
      return [caseId, "ben", "--repair", repairId, ...reason];
    },
    told: stored,
    adds: "assigned",
  },
  "cases note": { words: onCase("called them"), told: stored, adds: "noteAdded" },
  "cases reveal": { words: onCase(...reason), told: /^Nothing of it is masked\./ },
  "cases erase": {
    words: onCase("--preview"),
    told: /is not erased: it has not ended; let it end, or cancel it first\./,
  },
  "cases open": { words: onCase(), told: /Close it: +\S.* --repair \S+/, adds: "repairOpened" },
  "cases take-over": {
    words: async (there) => {
      const [caseId] = await repairIn(there);
      return [caseId, ...reason];
    },
    told: /Look at it: +\S.* --repair \S+/,
    adds: "repairTakenOver",
  },
  "cases close": {
    words: async (there) => {
      const [caseId, repairId] = await repairIn(there);
      return [caseId, "--repair", repairId];
    },
    told: /: Closed/,
    adds: "repairEnded",
  },
  destinations: { words: plain(), told: /^erp /m },
  "access restored": { words: plain("erp", "--wait", "1s"), told: /^No case waits for access to erp/ },
  "second list": { words: plain(), told: /^Nothing waits for a second person\./ },
  "second approve": { words: plain("s07-nobody"), told: /^SECOND_NOT_FOUND: / },
  "second decline": { words: plain("s07-nobody"), told: /^SECOND_NOT_FOUND: / },
  "schedules list": {
    words: plain(),
    told: /^yearly +purchase +0 6 29 2 \* +Europe\/Berlin +running +Next at /m,
  },
  "schedules show": { words: plain("yearly"), told: /by the clocks of Europe\/Berlin: Central European/ },
  "schedules next": {
    words: plain("yearly", "--limit", "2"),
    told: /^\d{4}-02-29T06:00 Europe\/Berlin .* in \d+ /,
  },
  "schedules pause": {
    words: plain("yearly", "--until", "2h", ...reason),
    told: /^yearly: paused\. Paused by ada/,
  },
  "schedules resume": { words: plain("yearly"), told: /^yearly: running\. Next at / },
  "schedules start": { words: plain("yearly"), told: /^Started \d\d-\S+\./ },
  "schedules leave": {
    words: plain("yearly", "1", ...reason),
    told: /^INVALID_REQUEST: .* no slot of yearly/,
  },
  problems: { words: plain(), told: /^Nothing waits for people\./ },
  "problems mark": { words: plain("0123456789ab", "--note", "known"), told: /^0123456789ab: Stored\./ },
  "bulk start": {
    words: ({ caseId }) => ["note", "--text", "seen", "--case", caseId],
    told: /note on 1 cases: .* 1 open\./,
  },
  "bulk list": {
    words: async (there) => {
      await bulkIn(there);
      return [];
    },
    told: /note on 1 cases/,
  },
  "bulk show": { words: bulkIn, told: /\n {2}0 {2}\d\d-\S+ {2}open/ },
  "bulk pause": { words: bulkIn, told: /: paused/ },
  "bulk resume": { words: bulkIn, told: /^BULK_REFUSED: .* is running/ },
  "bulk stop": { words: bulkIn, told: /: stopped/ },
  "notices list": { words: plain(), told: /^The configuration says nothing of notices/ },
  "notices test": { words: plain("finance"), told: /^INVALID_REQUEST: .*finance/ },
  "notices retry": { words: plain("m-1"), told: /^INVALID_REQUEST: .*is not there/ },
  owners: { words: plain(), told: /^finance\n/m },
  "inbox list": { words: plain("--source", "shop"), told: new RegExp(`^${eventId}`, "m") },
  "inbox show": { words: plain(eventId, "--body"), told: /^Body: "\{\}"$/m },
  "inbox work": { words: plain(), told: new RegExp(`^${eventId} +tell`, "m") },
  "inbox ignore": { words: plain(eventId, ...reason), told: /tell/ },
  "inbox replay": { words: plain(eventId, ...reason), told: /^Opened again: tell\./ },
  "inbox reconcile": { words: plain("shop"), told: /^0 events read, 0 of them had never arrived\./ },
  "people list": { words: plain(), told: /^ada +admin/m },
  "audit list": {
    words: plain("--since", "1h", "--act", "pause"),
    told: /^WHEN +WHO|^Nothing is on record/m,
  },
  "audit head": { words: plain(), told: /"heads": \[/ },
};

const throughServer = COMMANDS.filter(({ noServer }) => noServer === undefined);
const here = COMMANDS.filter(({ noServer }) => noServer !== undefined);

async function caseThere(): Promise<There> {
  const client = createClient({ baseUrl: server.url, token: tokens.admin });
  const { caseId } = await client.startCase({ type: "purchase", input: { vendor: "ACME", amount: 12.5 } });
  return { caseId, client };
}

describe("a command through a server", () => {
  test.each(throughServer.map(({ name }) => name))("%s is answered by it alone", async (name) => {
    const trial = TRIALS[name];
    if (trial === undefined) throw new Error(`no trial says how ${name} goes through a server`);
    const there = await caseThere();
    const { stdout, error } = await run(...name.split(" "), ...(await trial.words(there)));
    expect(`${stdout}${error}`).toMatch(trial.told);
    const { history } = await there.client.showCase({ caseId: there.caseId });
    const kinds = history.map(({ kind }) => kind);
    expect(kinds).toEqual(expect.arrayContaining(trial.adds === undefined ? [] : [trial.adds]));
  });

  test("no trial is of a command that is not there", () => {
    expect(Object.keys(TRIALS).filter((name) => !throughServer.some((one) => one.name === name))).toEqual([]);
  });

  test.each(here.map((command) => [command.name, command] as const))(
    "%s says why no server can do it",
    async (name, command) => {
      const { code, error } = await run(...name.split(" "), "--server", server.url);
      expect(code).toBe(EXIT_CODES.usage);
      expect(error).toContain(`No server can do this: ${command.noServer}. See: foothold help ${name}`);
    },
  );

  test("acts by the person of the token, whose label stands in the history", async () => {
    const { caseId } = await caseThere();
    await run("cases", "note", caseId, "called them");
    expect((await run("cases", "show", caseId)).stdout).toContain("ada (cli)");
  });

  test("is refused in plain words where the token has not the right, and nothing is done", async () => {
    const { caseId } = await caseThere();
    vi.stubEnv("FOOTHOLD_TOKEN", tokens.viewer);
    const { code, error } = await run("cases", "pause", caseId);
    expect(code).toBe(EXIT_CODES.refused);
    expect(error).toMatch(
      /^NOT_ALLOWED: eve \(cli\) has not the right "pause".*Nothing was done\. .*ask for a role that grants it/,
    );
    expect((await run("cases", "show", caseId, "--json")).stdout).toContain('"state": "Waiting until"');
  });

  test("says what to do about a token that is not known, and about none", async () => {
    vi.stubEnv("FOOTHOLD_TOKEN", `foothold_pat_${"a".repeat(43)}`);
    const unknown = await run("cases", "list");
    vi.stubEnv("FOOTHOLD_TOKEN", "");
    const none = await run("cases", "list");
    expect([unknown.code, none.code]).toEqual([EXIT_CODES.refused, EXIT_CODES.refused]);
    expect(unknown.error).toMatch(/^NOT_SIGNED_IN: .*mistyped, revoked or past its end.*tokens list$/);
    expect(none.error).toMatch(/^NOT_SIGNED_IN: .*FOOTHOLD_TOKEN.*tokens create LABEL --person NAME$/);
  });

  test("reads the token from a file, and refuses one that holds none", async () => {
    vi.stubEnv("FOOTHOLD_TOKEN", "");
    const [good, bad] = [join(folder, "token"), join(folder, "prose")];
    writeFileSync(good, `${tokens.admin}\n`);
    writeFileSync(bad, "a token, or so");
    expect((await run("people", "list", "--token-file", good)).code).toBe(EXIT_CODES.ok);
    const prose = await run("people", "list", "--token-file", bad);
    expect([prose.code, prose.error]).toEqual([EXIT_CODES.usage, expect.stringContaining("no API token")]);
    const missing = await run("people", "list", "--token-file", join(folder, "none"));
    expect([missing.code, missing.error]).toEqual([EXIT_CODES.usage, expect.stringContaining("ENOENT")]);
  });

  test("ends where no server answers, with the address and the reason", async () => {
    const url = `http://127.0.0.1:${await closedPort()}`;
    const { code, error } = await run("cases", "list", "--server", url);
    expect(code).toBe(EXIT_CODES.database);
    expect(error).toMatch(new RegExp(`^SERVER_UNREACHABLE: GET ${url}/.*The reason was ECONNREFUSED\\.$`));
  });

  test("sends no token by http to another machine, and repeats no password of an address", async () => {
    const far = await run("cases", "list", "--server", "http://foothold.example.com");
    expect([far.code, far.error]).toEqual([
      EXIT_CODES.usage,
      expect.stringMatching(/^USAGE: Nothing was sent to http:\/\/foothold\.example\.com: .*https address/),
    ]);
    for (const address of ["https://eve:hunter2@foothold.example.com", "foothold", "ftp://hunter2"]) {
      const { code, error } = await run("cases", "list", "--server", address);
      expect([address, code]).toEqual([address, EXIT_CODES.usage]);
      expect(error).toContain("https://foothold.example.com, without a name");
      expect(error).not.toContain("hunter2");
    }
  });

  test("takes nothing of what is for the database itself", async () => {
    const both = await run("cases", "list", "--server", server.url, "--database", "postgres://127.0.0.1:1/x");
    expect([both.code, both.error]).toEqual([EXIT_CODES.usage, expect.stringContaining("--database is for")]);
    const named = await run("cases", "note", "07-zzzzzzzzzzzz", "x", "--by", "ben");
    expect([named.code, named.error]).toEqual([EXIT_CODES.usage, expect.stringContaining("--by is for")]);
    vi.stubEnv("FOOTHOLD_SERVER", "");
    const lone = await run("cases", "list", "--token-file", "token");
    expect([lone.code, lone.error]).toEqual([EXIT_CODES.usage, expect.stringContaining("--server")]);
  });
});
