/**
 * Mail servers, through nodemailer. The class of a reply is its first digit (RFC 5321), whatever the other two are; the
 * enhanced code behind it (RFC 3463) says what about it. Waits are those that RFC 5321 and greylists ask for.
 */

import type { Instruction } from "../../core/failure.ts";
import { denied, no, type Meaning } from "../meaning.ts";
import { textInside } from "../plain-data.ts";
import type { Family } from "./family.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

function pace(firstMs: number, maxMs: number): { readonly instruction: Instruction } {
  return { instruction: { kind: "pace", firstMs, maxMs, source: "smtp" } };
}

/** The first row that fits says what a reply means. */
const REPLIES: readonly (readonly [reply: RegExp, meaning: Meaning])[] = [
  [/^421/, no("transient", { scope: "destination", ...pace(5 * MINUTE_MS, 30 * MINUTE_MS) })],
  [/^4/, no("transient", pace(15 * MINUTE_MS, 30 * MINUTE_MS))],
  // A dialog out of step: another connection has a new one.
  [/^503/, no("transient", pace(MINUTE_MS, 30 * MINUTE_MS))],
  [/^53[045]/, denied("revoked")],
  [/^55\d 5\.2\.2/, no("transient", pace(4 * HOUR_MS, 4 * HOUR_MS))],
  [/^55\d 5\.4\.5/, no("quota")],
  [/^55\d 5\.7\./, denied("blocked")],
  [/^55\d 5\.[16]\./, no("rejected")],
  [/^554/, denied("blocked")],
  [/^5/, no("rejected")],
];

/** Times that ran out before anything of a message was said. */
const UNSENT_TIMEOUTS = ["CONNECTION_TIMEOUT", "GREETING_TIMEOUT"];

/**
 * Mail servers. Without a reply or a time that ran out nothing is known: nodemailer says the same of a connection that was
 * lost before the message and of one that was lost after it.
 */
export const smtp: Family = {
  name: "smtp",
  fromError: ({ chain: [first] }) => {
    if (textInside(first?.facts, "command") === null) return null;
    const timeout = textInside(first?.facts, "timeoutType");
    if (timeout !== null && UNSENT_TIMEOUTS.includes(timeout)) {
      return { codes: [timeout], otherwise: no("transient", { scope: "destination" }), answer: null };
    }
    const reply = textInside(first?.facts, "response");
    if (reply === null || !/^[45]\d\d/.test(reply)) return null;
    // Lines of one reply are joined with a dash behind their number.
    const plain = reply.replace(/^(\d{3})-/, "$1 ");
    const otherwise = REPLIES.find(([pattern]) => pattern.test(plain))?.[1] ?? null;
    return { codes: [plain.slice(0, 9)], otherwise, answer: null };
  },
};
