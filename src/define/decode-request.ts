/** What a journaled intent sends. */

import type { Intent } from "../core/case-state.ts";
import type { Json } from "../core/json.ts";

/** What an intent sends: every attempt, the first too, gets the value decoded from the journaled text (R17). */
export function decodeRequest({ request }: Pick<Intent, "request">): Json | undefined {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the journal holds canonical JSON that core wrote
  return request === null ? undefined : (JSON.parse(request) as Json);
}
