/** What a case type declares as masked. */

import type { MaskedPath } from "../core/masked-values.ts";

/** What is declared as masked beside what destinations say. */
export interface CaseMasks {
  readonly input: readonly MaskedPath[];
  /** By step: of its result; of an approval, of the form in it; of an `each`, of the result of one key. */
  readonly results: { readonly [step: string]: readonly MaskedPath[] };
  /** By event type: of its payload. */
  readonly events: { readonly [eventType: string]: readonly MaskedPath[] };
}
