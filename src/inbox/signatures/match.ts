/** What comparing a signature with every secret gave. */

import type { RefusalReason } from "./refusal.ts";

/** Which secret made a signature, or why none did. */
export type Match =
  | { readonly kind: "by"; readonly secretId: string }
  | { readonly kind: "no"; readonly reason: RefusalReason };

/** The first secret of those that fit. */
export function matchOf(fitting: readonly { readonly id: string }[]): Match {
  const [first] = fitting;
  return first === undefined ? noMatch("wrongSignature") : { kind: "by", secretId: first.id };
}

/** No secret. */
export function noMatch(reason: RefusalReason): Match {
  return { kind: "no", reason };
}
