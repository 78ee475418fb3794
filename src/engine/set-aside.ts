/** A case whose journal cannot be read: put in sight, so that it is neither claimed again and again nor lost. */

import type { FootholdError } from "../core/errors.ts";
import type { CaseSummary } from "../core/row.ts";
import { storableText } from "../core/storable-text.ts";
import type { Store } from "../store/port.ts";

/** Who can help: the journal has to be repaired in the database. */
const OWNER = "whoever runs the database";
/** Stands for the step: whether any step stands cannot be told. */
const NO_STEP = "(journal)";
/** Characters of the fault that the review shows. */
const SENTENCE_CHARS_MAX = 1_000;

const NOTHING_KNOWN: CaseSummary = {
  confirmed: 0,
  waits: [],
  reviews: [],
  unsettled: [],
  lastFailure: null,
  losses: 0,
  isRepaired: false,
  repair: null,
  stoppedBy: null,
};

/** A case to set aside. */
export interface SetAsideInput {
  readonly caseId: string;
  readonly claimId: string | null;
  readonly fault: FootholdError;
  /** What its row said; null where it could not be read. */
  readonly summary: CaseSummary | null;
}

/** Frees the claim and opens a review in the row alone; the journal is not touched. True if it was done by this call. */
export function setAside(store: Store, { caseId, claimId, fault, summary }: SetAsideInput): Promise<boolean> {
  const sentence = storableText(fault.message, SENTENCE_CHARS_MAX);
  return store.setAside(caseId, claimId, {
    ...(summary ?? NOTHING_KNOWN),
    waits: [],
    reviews: [{ step: NO_STEP, reason: "bug", sentence, owner: OWNER, nextCheckAllowedAt: null }],
  });
}
