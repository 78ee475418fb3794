/** Asks for the reason of an act, makes it, and tells what it is refused with. */

import { useState, type JSX, type ReactNode } from "react";
import { asRefusal, type Refusal } from "./api.ts";
import { Refusing } from "./notices.tsx";

/** What the act is. */
export interface ReasonFormProps {
  /** What it means, told before it is made. */
  readonly says: ReactNode;
  /** On the button that makes it. */
  readonly action: string;
  /** Makes it, with the reason. */
  readonly onAct: (reason: string) => Promise<void>;
  /** What else is asked, below the reason. */
  readonly children?: ReactNode;
}

/** The form. */
export function ReasonForm({ says, action, onAct, children }: ReasonFormProps): JSX.Element {
  const [reason, setReason] = useState("");
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const act = async (): Promise<void> => {
    setRefusal(null);
    try {
      await onAct(reason.trim());
    } catch (error) {
      setRefusal(asRefusal(error));
    }
  };
  return (
    <form
      className="act"
      onSubmit={(event) => {
        event.preventDefault();
        void act();
      }}
    >
      <p>{says}</p>
      <label>
        Reason
        <textarea rows={2} required value={reason} onChange={({ target }) => setReason(target.value)} />
      </label>
      {children}
      <Refusing refusal={refusal} />
      <div className="buttons">
        <button type="submit" className="primary">
          {action}
        </button>
      </div>
    </form>
  );
}
