/** GraphQL, as Shopify speaks it: errors and user errors in a good answer, which an author or a client throws. */

import { isJsonObject, type Json } from "../../core/json.ts";
import type { SeenResponse } from "../../core/seen-failure.ts";
import { codes, denied, maybe, no } from "../meaning.ts";
import { inside, objectsInside, textInside } from "../plain-data.ts";
import type { Family, Words } from "./family.ts";

const USER_ERRORS = "userErrors";

/** Shopify. */
export const shopify: Family = {
  name: "shopify",
  fromError: ({ chain: [first], found, bodies: [thrownBody = null] }) => {
    const errors = first?.facts["graphQLErrors"];
    const { extensions = null } = first?.facts ?? {};
    const body: Json = errors === undefined ? thrownBody : { errors, extensions };
    const answer = found?.answer ?? { status: 200, headers: {}, body: null };
    return body === null ? null : wordsOf({ ...answer, body });
  },
  fromAnswer: wordsOf,
  codes: codes(
    [no("throttled"), "THROTTLED"],
    [denied("scope"), "ACCESS_DENIED"],
    [denied("scope"), "FORBIDDEN"],
    [denied("refreshable"), "UNAUTHENTICATED"],
    [no("bug"), "MAX_COST_EXCEEDED GRAPHQL_PARSE_FAILED GRAPHQL_VALIDATION_FAILED"],
    [no("rejected"), "BAD_USER_INPUT"],
    [maybe("transient"), "INTERNAL_SERVER_ERROR"],
    [no("rejected"), USER_ERRORS],
  ),
};

function wordsOf(answer: SeenResponse): Words | null {
  const data = inside(answer.body, "data");
  const errors = objectsInside(answer.body, "errors");
  const executed = isDoneInPart(data) ? { executed: "partial" as const } : {};
  const named = errors.map((one) => textInside(one, "extensions", "code")).filter((code) => code !== null);
  // Of an error without a code that is known nothing is known, and a good status says nothing either.
  const isUnsure = answer.status < 300 && (named.length > 0 || (data !== undefined && errors.length > 0));
  if (named.length > 0 || isUnsure) {
    return { codes: named, otherwise: isUnsure ? maybe("transient") : null, ...executed, answer };
  }
  return hasUserErrors(data) ? { codes: [USER_ERRORS], ...executed, answer } : null;
}

/** A mutation's answer names what is wrong with its input. */
function hasUserErrors(data: Json | undefined): boolean {
  return mutationsIn(data).some((one) => objectsInside(one, "userErrors").length > 0);
}

/** Of several mutations in one request, those before the one that failed took effect. */
function isDoneInPart(data: Json | undefined): boolean {
  return mutationsIn(data).some((one) => one !== null && objectsInside(one, "userErrors").length === 0);
}

function mutationsIn(data: Json | undefined): readonly Json[] {
  return data === undefined || !isJsonObject(data) ? [] : Object.values(data);
}
