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
    [no("bug"), "MAX_COST_EXCEEDED"],
    [maybe("transient"), "INTERNAL_SERVER_ERROR"],
    [no("rejected"), USER_ERRORS],
  ),
};

function wordsOf(answer: SeenResponse): Words | null {
  const found = objectsInside(answer.body, "errors").map((one) => textInside(one, "extensions", "code"));
  const named = found.filter((code) => code !== null);
  if (named.length > 0) return { codes: named, answer };
  return hasUserErrors(inside(answer.body, "data")) ? { codes: [USER_ERRORS], answer } : null;
}

/** A mutation's answer names what is wrong with its input. */
function hasUserErrors(data: Json | undefined): boolean {
  if (data === undefined || !isJsonObject(data)) return false;
  return Object.values(data).some((one) => objectsInside(one, "userErrors").length > 0);
}
