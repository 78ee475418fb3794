/** Work of an event, opened again with a reason. */

import { useState, type JSX } from "react";
import { api, asRefusal, type Refusal } from "../api.ts";
import { Dialog } from "../dialog.tsx";
import { Refusing } from "../notices.tsx";
import { madeSeen } from "../told.tsx";

/** Of which event and consumer; null = of every one. */
export interface ReplayDialogProps {
  readonly eventId: string;
  readonly consumer: string | null;
  readonly onDone: (sentence: string) => void;
  readonly onClose: () => void;
}

/** The dialog. */
export function ReplayDialog({ eventId, consumer, onDone, onClose }: ReplayDialogProps): JSX.Element {
  const [reason, setReason] = useState("");
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const send = async (): Promise<void> => {
    setRefusal(null);
    try {
      const asked = { eventId, reason: reason.trim(), ...(consumer === null ? {} : { consumer }) };
      const { sentence } = await api.replayEvent(asked);
      onDone(sentence);
    } catch (error) {
      setRefusal(asRefusal(error));
    }
  };
  return (
    <Dialog title={consumer === null ? "Replay" : `Do again: ${madeSeen(consumer)}`} onClose={onClose}>
      <form
        className="act"
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <p>
          Its work is done again. What it did before is not done twice: a case that was started is found, and
          a fact that a case knows is not told again.
        </p>
        <label>
          Reason
          <textarea rows={2} required value={reason} onChange={({ target }) => setReason(target.value)} />
        </label>
        <Refusing refusal={refusal} />
        <div className="buttons">
          <button type="submit" className="primary">
            Open it again
          </button>
        </div>
      </form>
    </Dialog>
  );
}
