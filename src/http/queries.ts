/** Query parameters, read once and bounded. An unknown or repeated one is refused: a typo must not list everything. */

import { FootholdError, type FieldFault } from "../core/errors.ts";
import type { StoredState } from "../core/row.ts";
import type { ListFilter } from "../desk/desk.ts";
import { BUSINESS_KEY_CHARS_MAX, checkTexts, TENANT_CHARS_MAX } from "../desk/requests.ts";
import { LIST_LIMIT_MAX } from "../store/port.ts";

/** Stored states, as filters take them. */
export const STORED_STATES: readonly StoredState[] = [
  "ready",
  "claimed",
  "waiting",
  "paused",
  "in_review",
  "done",
  "canceled",
];

/** Longest name of a case type that is looked for. */
const TYPE_CHARS_MAX = 100;
/** Longest cursor. */
const CURSOR_CHARS_MAX = 500;
const known = ["type", "state", "review", "tenant", "businessKey", "limit", "cursor", "refresh"];

/** Reads the filters of a list. An empty parameter, as a form sends it, is none. Throws `INVALID_REQUEST`. */
export function readFilter(query: URLSearchParams): ListFilter {
  const fields: FieldFault[] = [...new Set(query.keys())].flatMap((name) => checkName(query, name));
  const one = (name: string): string | null => {
    const value = query.get(name);
    return value === null || value === "" ? null : value;
  };
  const states = readStates(query, fields);
  const limit = readLimit(one("limit"), fields);
  const withReview = readFlag(one("review"), fields);
  if (fields.length > 0) throw invalid(fields);
  const texts = [
    { path: "type", value: one("type"), charsMax: TYPE_CHARS_MAX },
    { path: "tenant", value: one("tenant"), charsMax: TENANT_CHARS_MAX },
    { path: "businessKey", value: one("businessKey"), charsMax: BUSINESS_KEY_CHARS_MAX },
    { path: "cursor", value: one("cursor"), charsMax: CURSOR_CHARS_MAX },
  ].filter(({ value }) => value !== null);
  checkTexts(texts);
  const [caseType, tenant, businessKey, after] = [
    one("type"),
    one("tenant"),
    one("businessKey"),
    one("cursor"),
  ];
  return {
    ...(caseType === null ? {} : { caseType }),
    ...(tenant === null ? {} : { tenant }),
    ...(businessKey === null ? {} : { businessKey }),
    ...(after === null ? {} : { after }),
    ...(states.length === 0 ? {} : { states }),
    ...(limit === null ? {} : { limit }),
    ...(withReview === null ? {} : { withReview }),
  };
}

function checkName(query: URLSearchParams, name: string): readonly FieldFault[] {
  if (!known.includes(name)) {
    return [{ path: name.slice(0, 60), message: `is not one of ${known.join(", ")}` }];
  }
  const isRepeated = name !== "state" && query.getAll(name).length > 1;
  return isRepeated ? [{ path: name, message: "is given more than once" }] : [];
}

function readStates(query: URLSearchParams, fields: FieldFault[]): readonly StoredState[] {
  const given = query
    .getAll("state")
    .flatMap((value) => value.split(","))
    .filter((value) => value !== "");
  const states = STORED_STATES.filter((state) => given.includes(state));
  const isUnknown = given.some((value) => !STORED_STATES.some((state) => state === value));
  if (isUnknown) fields.push({ path: "state", message: `is not one of ${STORED_STATES.join(", ")}` });
  return states;
}

function readLimit(value: string | null, fields: FieldFault[]): number | null {
  if (value === null) return null;
  const limit = /^\d{1,4}$/.test(value) ? Number(value) : 0;
  if (limit >= 1 && limit <= LIST_LIMIT_MAX) return limit;
  fields.push({ path: "limit", message: `is not a whole number from 1 to ${LIST_LIMIT_MAX}` });
  return null;
}

function readFlag(value: string | null, fields: FieldFault[]): boolean | null {
  if (value === null) return null;
  if (value === "true" || value === "false") return value === "true";
  fields.push({ path: "review", message: "is neither true nor false" });
  return null;
}

function invalid(fields: readonly FieldFault[]): FootholdError {
  const told = fields.map(({ path, message }) => `${path} ${message}`).join("; ");
  return new FootholdError("INVALID_REQUEST", `The query cannot be read: ${told}.`, { details: { fields } });
}
