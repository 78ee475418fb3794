/** What an HTTP answer means: the provider's own words first, then headers that a status alone would mislead without. */

import type { SeenResponse } from "../core/seen-failure.ts";
import { FAMILIES } from "./families/all.ts";
import type { Family, Words } from "./families/family.ts";
import { plain } from "./families/plain.ts";
import { denied, no, together, type Meaning } from "./meaning.ts";
import { textInside } from "./plain-data.ts";
import { meaningOf } from "./statuses.ts";
import type { Verdict } from "./verdict.ts";

/** What a family's words mean, and the code that said it; null = none of them is known. */
export interface Understood {
  readonly meaning: Meaning;
  readonly rule: string;
}

/** Looks words up in their family's table. */
export function understand(family: Family, { codes, otherwise = null, executed }: Words): Understood | null {
  const code = codes.find((one) => family.codes?.has(one)) ?? null;
  const meaning = code === null ? otherwise : (family.codes?.get(code) ?? null);
  if (meaning === null) return null;
  return {
    meaning: executed === undefined ? meaning : { ...meaning, executed },
    rule: `${family.name}.${code ?? codes[0] ?? "other"}`,
  };
}

/** Judges an answer. `known` is what a client already told of it. */
export function judgeAnswer(destination: string, answer: SeenResponse, known: Understood | null): Verdict {
  const understood = known ?? understandAnswer(answer);
  const said = saidIn(answer);
  return {
    meaning: understood?.meaning ?? byStatus(answer),
    basis: { kind: "answer", answer },
    confidence: understood === null ? "inferred" : "declared",
    rule: understood?.rule ?? `http.${answer.status}`,
    sentence: `${destination} answered ${answer.status}${said === null ? "" : `: ${said}`}`,
    hints: answer,
  };
}

function understandAnswer(answer: SeenResponse): Understood | null {
  for (const family of FAMILIES) {
    const words = family.fromAnswer?.(answer) ?? null;
    const understood = words === null ? null : understand(family, words);
    if (understood === null) continue;
    if (!agrees(answer, understood.meaning)) return null;
    return family === plain ? noSurer(answer, understood) : understood;
  }
  return null;
}

/**
 * A word that contradicts its status is not believed: a server that is overwhelmed or broken and says "invalid grant"
 * beside it has judged nothing, and no credential is to be taken for dead by it.
 */
function agrees({ status }: SeenResponse, { cause }: Meaning): boolean {
  if (status === 429) return ["throttled", "quota", "transient"].includes(cause);
  return status < 500 || ["throttled", "transient", "stopped"].includes(cause);
}

/** A word that anybody may use says why, but beside a broken gateway not that nothing was done behind it. */
function noSurer(answer: SeenResponse, { meaning, rule }: Understood): Understood {
  const { executed } = answer.status < 500 ? meaning : byStatus(answer);
  return { meaning: { ...meaning, executed: together(meaning.executed, executed) }, rule };
}

/** A status, with the headers that say more than it does. */
function byStatus({ status, headers }: SeenResponse): Meaning {
  if (status < 300) return AFTER_SUCCESS[status] ?? { cause: "transient", executed: "yes" };
  const saysWhen = headers["retry-after"] !== undefined;
  if (status === 403) {
    if (saysWhen || headers["x-ratelimit-remaining"] === "0") return no("throttled");
    // A page for people where a program was asked comes from what stands before the destination.
    if (headers["content-type"]?.startsWith("text/html") === true) return denied("blocked");
  }
  // A server that turned the request away and says when to come back did not begin to work on it.
  if (status === 503 && saysWhen) return no("transient", { scope: "destination" });
  if (status === 413 && saysWhen) return no("throttled");
  return meaningOf(status);
}

/** Good answers that do not say that all of it is done. */
const AFTER_SUCCESS: Readonly<Record<number, Meaning>> = {
  202: { cause: "transient", executed: "maybe" },
  207: { cause: "transient", executed: "partial" },
};

/** A short text from a problem document (RFC 9457) or a common error body. */
function saidIn({ body }: SeenResponse): string | null {
  const places = [["detail"], ["title"], ["message"], ["error", "message"], ["error"], [0, "message"]];
  const found = places.map((path) => textInside(body, ...path)).find((one) => one !== null);
  return found?.replace(/[.\s]+$/, "") ?? null;
}
