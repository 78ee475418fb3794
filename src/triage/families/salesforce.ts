/** Salesforce: a list of errors in the body; jsforce keeps the code of the first. */

import { codes, denied, maybe, no } from "../meaning.ts";
import { textInside } from "../plain-data.ts";
import type { Family } from "./family.ts";

/** Salesforce. */
export const salesforce: Family = {
  name: "salesforce",
  fromError: ({ chain: [first], found }) => {
    const code = textInside(first?.facts, "errorCode");
    if (code === null) return null;
    const status = /^ERROR_HTTP_(\d{3})$/.exec(code)?.[1];
    const body = first?.facts["data"] ?? null;
    if (status === undefined) return { codes: [code], answer: found?.answer ?? null };
    return { codes: [], answer: { status: Number(status), headers: {}, body } };
  },
  fromAnswer: ({ body }) => {
    const code = textInside(body, 0, "errorCode");
    return code === null ? null : { codes: [code] };
  },
  codes: codes(
    [denied("refreshable"), "INVALID_SESSION_ID"],
    [denied("blocked"), "API_DISABLED_FOR_ORG API_CURRENTLY_DISABLED"],
    [
      denied("scope"),
      "INSUFFICIENT_ACCESS INSUFFICIENT_ACCESS_OR_READONLY INSUFFICIENT_ACCESS_ON_CROSS_REFERENCE_ENTITY",
    ],
    [no("quota"), "REQUEST_LIMIT_EXCEEDED STORAGE_LIMIT_EXCEEDED"],
    [no("transient"), "UNABLE_TO_LOCK_ROW"],
    [no("conflict"), "DUPLICATE_VALUE DUPLICATES_DETECTED"],
    [no("gone"), "ENTITY_IS_DELETED NOT_FOUND INVALID_CROSS_REFERENCE_KEY"],
    [
      no("rejected"),
      "REQUIRED_FIELD_MISSING STRING_TOO_LONG FIELD_CUSTOM_VALIDATION_EXCEPTION INVALID_EMAIL_ADDRESS " +
        "INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST NUMBER_OUTSIDE_VALID_RANGE INVALID_FIELD_FOR_INSERT_UPDATE",
    ],
    [no("bug"), "MALFORMED_QUERY MALFORMED_ID INVALID_FIELD INVALID_TYPE"],
    [maybe("transient"), "SERVER_UNAVAILABLE UNKNOWN_EXCEPTION"],
  ),
};
