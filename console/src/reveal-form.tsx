/** Asks what for something masked is to be seen. */

import type { JSX } from "react";
import { ReasonForm } from "./reason-form.tsx";

/** The form; `onReveal` is made with a reason, and what it is refused with is told. */
export function RevealForm({
  says,
  onReveal,
}: {
  readonly says: string;
  readonly onReveal: (reason: string) => Promise<void>;
}): JSX.Element {
  return <ReasonForm says={`${says} Who did and why is on record.`} action="Reveal" onAct={onReveal} />;
}
