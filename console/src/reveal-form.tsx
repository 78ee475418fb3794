/** Asks what for something masked is to be seen. */

import { useState, type JSX } from "react";
import { asRefusal, type Refusal } from "./api.ts";
import { Refusing } from "./notices.tsx";

/** The form; `onReveal` is made with a reason, and what it is refused with is told. */
export function RevealForm({
  says,
  onReveal,
}: {
  readonly says: string;
  readonly onReveal: (reason: string) => Promise<void>;
}): JSX.Element {
  const [reason, setReason] = useState("");
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const reveal = async (): Promise<void> => {
    setRefusal(null);
    try {
      await onReveal(reason.trim());
    } catch (error) {
      setRefusal(asRefusal(error));
    }
  };
  return (
    <form
      className="act"
      onSubmit={(event) => {
        event.preventDefault();
        void reveal();
      }}
    >
      <p>{says} Who did and why is on record.</p>
      <label>
        Reason
        <textarea rows={2} required value={reason} onChange={({ target }) => setReason(target.value)} />
      </label>
      <Refusing refusal={refusal} />
      <div className="buttons">
        <button type="submit" className="primary">
          Reveal
        </button>
      </div>
    </form>
  );
}
