/** What callers may write into a case: every text has a bound, so that a row, a page and a log line have one too. */

import { FootholdError, type FieldFault } from "../core/errors.ts";
import type { Actor } from "../core/journal.ts";
import type { RightsObject, Verb } from "../core/rights.ts";

/** Longest name of a tenant, in UTF-16 units. */
export const TENANT_CHARS_MAX = 100;
/** Longest business key. */
export const BUSINESS_KEY_CHARS_MAX = 200;
/** Longest name of a person. */
const NAME_CHARS_MAX = 200;
/** Longest reason of an act, and longest note with an approval. */
export const REASON_CHARS_MAX = 2_000;
/** Longest note. */
export const NOTE_CHARS_MAX = 10_000;
/** Longest id of an act. */
const ACT_ID_CHARS_MAX = 200;
/** Longest source id of an event. */
export const SOURCE_ID_CHARS_MAX = 400;
/** Tenant of cases that are started without one. */
export const DEFAULT_TENANT = "default";

// NUL cannot be stored, and other control characters would let a key or a name rewrite the terminal that shows it.
const controls = /\p{Cc}/u;
const controlsButLineBreaks = /(?![\n\r\t])\p{Cc}/u;
const halfSurrogate = /\p{Cs}/u;

/** A text of a request and its bound. */
interface TextRule {
  readonly path: string;
  readonly charsMax: number;
  /** True where several lines make sense. */
  readonly isProse?: boolean;
}

/** Throws `INVALID_REQUEST` that names every faulty field. */
export function checkTexts(texts: readonly (TextRule & { readonly value: unknown })[]): void {
  const fields = texts.flatMap(({ value, ...rule }): readonly FieldFault[] => {
    const message = faultOf(value, rule);
    return message === null ? [] : [{ path: rule.path, message }];
  });
  if (fields.length === 0) return;
  const told = fields.map(({ path, message }) => `${path} ${message}`).join("; ");
  throw new FootholdError("INVALID_REQUEST", `The request cannot be taken: ${told}.`, {
    details: { fields },
  });
}

function faultOf(value: unknown, { charsMax, isProse }: TextRule): string | null {
  if (typeof value !== "string") return "must be a text";
  if (value.trim() === "") return "must not be empty";
  if (value.length > charsMax) return `is ${value.length} characters long, more than the ${charsMax} allowed`;
  if ((isProse === true ? controlsButLineBreaks : controls).test(value)) return "has a control character";
  return halfSurrogate.test(value) ? "has half a surrogate pair" : null;
}

/** A person who was signed in. The desk checks no rights: whoever hands the person over has done so. */
export interface Person {
  /** How whoever signs people in knows them; stable. */
  readonly id: string;
  /** For people. */
  readonly label: string;
  readonly roles: readonly string[];
}

/** Tells which of some rights a person has not, or no more; null = they have them all. */
export type LacksNow = (who: Person, rights: readonly Verb[], on: RightsObject) => Promise<Verb | null>;

/** Who acts: a person who was signed in, or the name that somebody gave who is trusted as they are. */
export type Who = string | Person;

/** A person, for the journal. Throws `INVALID_REQUEST`. */
export function personOf(who: Who): Actor {
  const name = typeof who === "string" ? who : who.label;
  checkTexts([{ path: "by", value: name, charsMax: NAME_CHARS_MAX }]);
  if (typeof who === "string") return { kind: "person", name };
  checkTexts([{ path: "by.id", value: who.id, charsMax: NAME_CHARS_MAX }]);
  return { kind: "person", name, personId: who.id };
}

/** An act's own id. Throws `INVALID_REQUEST`. */
export function checkActId(actId: string | undefined): void {
  if (actId !== undefined) checkTexts([{ path: "actId", value: actId, charsMax: ACT_ID_CHARS_MAX }]);
}

/** A reason, or null where none was given. Throws `INVALID_REQUEST`. */
export function reasonOf(reason: string | null | undefined): string | null {
  if (reason === null || reason === undefined) return null;
  checkTexts([{ path: "reason", value: reason, charsMax: REASON_CHARS_MAX, isProse: true }]);
  return reason;
}

/** A case id in the form that the desk makes: two digits of the shard, then the random part. */
export function isCaseId(caseId: string): boolean {
  return /^\d\d-[0-9a-z]{1,40}$/.test(caseId);
}

/** `CASE_NOT_FOUND` for one id. */
export function caseNotFound(caseId: string): FootholdError {
  // What a caller gave may be of any length and hold anything.
  const shown = isCaseId(caseId) ? caseId : JSON.stringify(caseId.slice(0, 60));
  const hint = isCaseId(caseId)
    ? "Check the id, and that this is the database you mean."
    : "A case is named by its id, such as 07-1b2c3d4e5f6g, not by its business key; a list of cases shows both.";
  return new FootholdError("CASE_NOT_FOUND", `There is no case ${shown} in this database. ${hint}`, {
    details: { caseId: caseId.slice(0, 60) },
  });
}
