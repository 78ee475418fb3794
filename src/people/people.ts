/** What an administrator does about people and tokens. Secrets that are made here are told once and kept nowhere. */

import { randomBytes } from "node:crypto";
import { FootholdError } from "../core/errors.ts";
import type { Ids } from "../core/ports.ts";
import { VERBS, type Roles } from "../core/rights.ts";
import type { Json } from "../core/json.ts";
import type { NewAuditLine } from "../store/audit-port.ts";
import type { PeopleStore, StoredPerson, StoredToken } from "../store/people-port.ts";
import { auditLine, houseHead } from "../desk/audited.ts";
import { checkTexts, type Who } from "../desk/requests.ts";
import { hashPassword, passwordFault } from "./password.ts";
import { newSecret, secretHash, TOKEN_PREFIX } from "./secrets.ts";

/** What the acts work with. */
export interface PeopleParts {
  readonly people: PeopleStore;
  readonly roles: Roles;
  readonly ids: Ids;
  /** Who does it, for the audit. */
  readonly by: Who;
}

const NAME_CHARS_MAX = 100;
const LABEL_CHARS_MAX = 100;
const MADE_PASSWORD_BYTES = 15;
const ROLES_MAX = 50;

/** A person to add; without a password one is made. */
export interface PersonRequest {
  readonly name: string;
  readonly roles: readonly string[];
  readonly password: string | null;
}

/** Adds a person; tells the password that was made for them. Throws `INVALID_REQUEST`, `PERSON_EXISTS`. */
export async function addPerson(
  { people, roles, ids, by }: PeopleParts,
  request: PersonRequest,
): Promise<{ readonly madePassword: string | null }> {
  const { name } = request;
  checkTexts([{ path: "name", value: name, charsMax: NAME_CHARS_MAX }]);
  checkRoles(roles, request.roles);
  const { password, made } = passwordOf(request.password);
  const passwordHash = await hashPassword(password);
  const isAdded = await people.addPerson(
    { personId: ids.unique(), name, passwordHash, roles: request.roles },
    lineOf({ ids, by }, "addPerson", name, { before: null, after: { roles: request.roles } }),
  );
  if (isAdded) return { madePassword: made };
  throw new FootholdError(
    "PERSON_EXISTS",
    `There is a person ${JSON.stringify(name)} already, perhaps disabled.`,
  );
}

/** What changes; whatever is left out stays. */
export interface PersonEdit {
  readonly roles?: readonly string[];
  /** Null = one is made. */
  readonly password?: string | null;
  readonly isDisabled?: boolean;
}

/** Changes a person and ends their sessions. Throws `INVALID_REQUEST`, `PERSON_NOT_FOUND`. */
export async function changePerson(
  { people, roles, ids, by }: PeopleParts,
  name: string,
  edit: PersonEdit,
): Promise<{ readonly madePassword: string | null }> {
  if (edit.roles !== undefined) checkRoles(roles, edit.roles);
  const given = edit.password === undefined ? null : passwordOf(edit.password);
  const person = await people.findPerson(name);
  if (person === null) throw personNotFound(name);
  const before = { roles: person.roles, isDisabled: person.disabledAt !== null };
  const after = {
    roles: edit.roles ?? before.roles,
    isDisabled: edit.isDisabled ?? before.isDisabled,
    ...(given === null ? {} : { hasNewPassword: true }),
  };
  const isChanged = await people.changePerson(
    name,
    {
      ...(edit.roles === undefined ? {} : { roles: edit.roles }),
      ...(edit.isDisabled === undefined ? {} : { isDisabled: edit.isDisabled }),
      ...(given === null ? {} : { passwordHash: await hashPassword(given.password) }),
    },
    lineOf({ ids, by }, "changePerson", name, { before, after }),
  );
  if (!isChanged) throw personNotFound(name);
  return { madePassword: given?.made ?? null };
}

/** A token to make. */
export interface TokenRequest {
  readonly label: string;
  /** The name of the person that it acts as. */
  readonly person: string;
  /** Verbs that it is narrowed to; empty = all that the person may. */
  readonly scopes: readonly string[];
  /** Null = until it is revoked. */
  readonly lastsMs: number | null;
}

/** Makes a token and tells it, this once. Throws `INVALID_REQUEST`, `PERSON_NOT_FOUND`. */
export async function createToken(
  { people, ids, by }: PeopleParts,
  { label, person: name, scopes, lastsMs }: TokenRequest,
): Promise<{ readonly tokenId: string; readonly secret: string }> {
  checkTexts([{ path: "label", value: label, charsMax: LABEL_CHARS_MAX }]);
  const unknown = scopes.filter((scope) => !VERBS.some((verb) => verb === scope));
  if (unknown.length > 0)
    throw invalid("scopes", `are verbs, and ${unknown.join(", ")} is none: ${VERBS.join(", ")}`);
  const person = await people.findPerson(name);
  if (person === null || person.disabledAt !== null) throw personNotFound(name);
  const secret = newSecret(TOKEN_PREFIX);
  const tokenId = ids.unique();
  const narrowedTo = scopes.length === 0 ? null : scopes;
  await people.addToken(
    {
      tokenId,
      tokenHash: secretHash(secret, TOKEN_PREFIX) ?? "",
      label,
      personId: person.personId,
      scopes: narrowedTo,
      lastsMs,
    },
    lineOf({ ids, by }, "createToken", name, {
      before: null,
      after: { tokenId, label, scopes: narrowedTo, lastsMs },
    }),
  );
  return { tokenId, secret };
}

/** Revokes a token at once. Throws `TOKEN_NOT_FOUND`. */
export async function revokeToken(
  { people, ids, by }: Pick<PeopleParts, "people" | "ids" | "by">,
  tokenId: string,
): Promise<void> {
  const line = lineOf({ ids, by }, "revokeToken", tokenId, { before: null, after: { isRevoked: true } });
  if (await people.revokeToken(tokenId, line)) return;
  throw new FootholdError(
    "TOKEN_NOT_FOUND",
    `There is no token ${JSON.stringify(tokenId.slice(0, 60))} that is not revoked. foothold tokens list shows them.`,
  );
}

/** Everybody, without what opens a door. */
export async function listPeople({
  people,
}: Pick<PeopleParts, "people">): Promise<readonly Omit<StoredPerson, "passwordHash">[]> {
  const all = await people.listPeople();
  return all.map(({ personId, name, roles, createdAt, disabledAt }) => ({
    personId,
    name,
    roles,
    createdAt,
    disabledAt,
  }));
}

/** Every token, without what opens a door. */
export function listTokens({ people }: Pick<PeopleParts, "people">): Promise<readonly StoredToken[]> {
  return people.listTokens();
}

/** The line of a change, written with it. */
function lineOf(
  { ids, by }: Pick<PeopleParts, "ids" | "by">,
  act: string,
  about: string,
  change: { readonly before: Json; readonly after: Json },
): NewAuditLine {
  const end = { outcome: "done", code: null, sentence: null, ...change } as const;
  return auditLine(ids, { ...houseHead(act, { by }), about }, end);
}

function passwordOf(given: string | null): { readonly password: string; readonly made: string | null } {
  if (given === null) {
    const made = randomBytes(MADE_PASSWORD_BYTES).toString("base64url");
    return { password: made, made };
  }
  const fault = passwordFault(given);
  if (fault !== null) throw invalid("password", fault);
  return { password: given, made: null };
}

function checkRoles(roles: Roles, wanted: readonly string[]): void {
  const unknown = wanted.filter((name) => !roles.has(name));
  const known = [...roles.keys()].join(", ");
  if (wanted.length === 0) throw invalid("roles", `are missing; there are: ${known}`);
  if (wanted.length > ROLES_MAX) throw invalid("roles", `are more than ${ROLES_MAX}`);
  if (unknown.length > 0)
    throw invalid("roles", `has ${unknown.join(", ")}, which is none; there are: ${known}`);
}

function personNotFound(name: string): FootholdError {
  return new FootholdError(
    "PERSON_NOT_FOUND",
    `There is no person ${JSON.stringify(name.slice(0, 60))} who may sign in. foothold people list shows who there is.`,
  );
}

function invalid(path: string, message: string): FootholdError {
  return new FootholdError("INVALID_REQUEST", `The request cannot be taken: ${path} ${message}.`, {
    details: { fields: [{ path, message }] },
  });
}
