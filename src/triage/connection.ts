/**
 * What the errors of a connection prove. Only the call that failed tells "never sent" from "executed, answer lost":
 * ECONNRESET is both.
 */

import type { SeenError } from "../core/seen-failure.ts";
import { no, type Meaning } from "./meaning.ts";

const CONNECT_SYSCALLS = ["connect", "getaddrinfo"];
/** Of the connect phase alone, whatever else is known: Node's, and undici's. */
const CONNECT_CODES = ["ENOTFOUND", "EAI_AGAIN", "EAI_FAIL", "ECONNREFUSED", "UND_ERR_CONNECT_TIMEOUT"];
/** Raised while the connection is secured, before anything is sent over it. */
const TLS_CODES = /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_|HOSTNAME_MISMATCH)/;
/** This machine has no more of something: the destination is not to blame. */
const LOCAL_CODES = ["EMFILE", "ENFILE", "ENOMEM", "EADDRINUSE"];
/** What clients call every failure of a connection: the one behind it tells. */
const WRAPPERS = ["slack_webapi_request_error", "REQUEST_SEND_ERROR", "ERR_NETWORK"];

/** What is meant by a request that surely never left, and the code that says so. */
export interface Unsent {
  readonly code: string;
  readonly meaning: Meaning;
}

/**
 * Not null when every error that says anything proves that the request never left. Nothing else is a proof: what looks
 * like a mistake in a call (ERR_INVALID_URL, ERR_INVALID_ARG_TYPE) or a lack of this machine (EMFILE) may as well come
 * from what the author's code did after the send.
 */
export function unsentBy(chain: readonly SeenError[]): Unsent | null {
  const telling = chain.filter((one, index) => isTelling(one, chain.slice(index + 1)));
  const [first] = telling;
  if (first?.code === null || first?.code === undefined || !telling.every(provesUnsent)) return null;
  return { code: first.code, meaning: meaningOf(first.code) };
}

/** An error that only repeats what stands behind it says nothing of its own. */
function isTelling({ code, syscall, isAggregate }: SeenError, behind: readonly SeenError[]): boolean {
  if (code === null || isAggregate || WRAPPERS.includes(code)) return false;
  return syscall !== null || !behind.some((one) => one.code === code);
}

function provesUnsent({ code, syscall }: SeenError): boolean {
  if (code === null) return false;
  if (syscall !== null) return CONNECT_SYSCALLS.includes(syscall);
  return CONNECT_CODES.includes(code) || TLS_CODES.test(code);
}

function meaningOf(code: string): Meaning {
  if (TLS_CODES.test(code)) return no("bug", { scope: "destination" });
  if (LOCAL_CODES.includes(code)) return no("transient", { owner: "operator" });
  return no("transient", { scope: "destination" });
}
