/** What an audit line says of an act before it is made. */

import type { Who } from "./requests.ts";

/** What is known of an act before it is made. */
export interface ActHead {
  /** The name of the move, or such as `signIn`. */
  readonly act: string;
  /** Null = nobody knows. */
  readonly who: Who | null;
  readonly caseId: string | null;
  readonly about: string | null;
  readonly plan: string | null;
  readonly why: string | null;
  /** The schedule that it is about: what its cases mask, `why` may not repeat either. */
  readonly schedule?: string;
  /** What it would put in place of the input, whatever it is: never on record, but what `why` may not repeat of it. */
  readonly input?: unknown;
}
