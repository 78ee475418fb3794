/** Work of an event, left undone with a reason. */

import { useState, type JSX } from "react";
import { api, asRefusal, type Refusal } from "../api.ts";
import { Dialog } from "../dialog.tsx";
import { Refusing } from "../notices.tsx";
import { madeSeen } from "../told.tsx";

/** Of which event and consumer; null = of every one. */
export interface IgnoreDialogProps {
  readonly eventId: string;
  readonly consumer: string | null;
  readonly onDone: (sentence: string) => void;
  readonly onClose: () => void;
}

/** The dialog. */
export function IgnoreDialog({ eventId, consumer, onDone, onClose }: IgnoreDialogProps): JSX.Element {
  const [reason, setReason] = useState("");
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const send = async (): Promise<void> => {
    setRefusal(null);
    try {
      const asked = { eventId, reason: reason.trim(), ...(consumer === null ? {} : { consumer }) };
      const { sentence } = await api.ignoreEvent(asked);
      onDone(sentence);
    } catch (error) {
      setRefusal(asRefusal(error));
    }
  };
  return (
    <Dialog title={consumer === null ? "Ignore" : `Ignore: ${madeSeen(consumer)}`} onClose={onClose}>
      <form
        className="act"
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <p>
          Its work is left undone, and nobody is asked for it any more. The event stays stored. When it comes
          again, that does not bring the work back; a replay does. What a case was told before is not taken
          back.
        </p>
        <label>
          Reason
          <textarea rows={2} required value={reason} onChange={({ target }) => setReason(target.value)} />
        </label>
        <Refusing refusal={refusal} />
        <div className="buttons">
          <button type="submit" className="primary">
            Leave it undone
          </button>
        </div>
      </form>
    </Dialog>
  );
}
