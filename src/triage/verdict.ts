/** A verdict on its way to a failure: what is meant, and what that rests on. */

import type { Confidence } from "../core/failure.ts";
import type { SeenResponse } from "../core/seen-failure.ts";
import type { Meaning } from "./meaning.ts";

/** What a verdict rests on; it decides what the wire can say against it. */
type Basis =
  /** An HTTP answer. */
  | { readonly kind: "answer"; readonly answer: SeenResponse }
  /** The words of another protocol, in which no HTTP request speaks. */
  | { readonly kind: "words" }
  /** No connection. */
  | { readonly kind: "unsent" }
  /** Nothing that tells what became of a request: our own stop, a mistake in the code, an unknown shape. */
  | { readonly kind: "nothing" };

/** A verdict. */
export interface Verdict {
  readonly meaning: Meaning;
  readonly basis: Basis;
  readonly confidence: Confidence;
  readonly rule: string;
  /** One sentence without its end. */
  readonly sentence: string;
  /** Where a wait may be named. */
  readonly hints: Pick<SeenResponse, "headers" | "body">;
}

/** Nothing names a wait. */
export const NO_HINTS: Verdict["hints"] = { headers: {}, body: null };
