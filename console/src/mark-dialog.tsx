/** Whose a group of problems is, and a note; both stay when its cases are gone. */

import { useState, type JSX } from "react";
import { api, asRefusal, type Refusal } from "./api.ts";
import { Dialog } from "./dialog.tsx";
import { Refusing } from "./notices.tsx";
import type { Problem } from "./problem.ts";
import { Told } from "./told.tsx";

/** Of which group. */
export interface MarkDialogProps {
  readonly problem: Problem;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** The dialog. */
export function MarkDialog({ problem, onDone, onClose }: MarkDialogProps): JSX.Element {
  const { problemId, mark, cause } = problem;
  const [owner, setOwner] = useState(mark?.owner ?? "");
  const [note, setNote] = useState(mark?.note ?? "");
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const send = async (): Promise<void> => {
    setRefusal(null);
    try {
      await api.markProblem({ problemId, owner: owner.trim() || null, note: note.trim() || null });
      onDone();
    } catch (error) {
      setRefusal(asRefusal(error));
    }
  };
  return (
    <Dialog title="Owner and note" onClose={onClose}>
      <form
        className="act"
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <p>
          <Told text={cause} />
        </p>
        <label>
          Owner (empty: as its reviews name them)
          <input value={owner} maxLength={200} onChange={({ target }) => setOwner(target.value)} />
        </label>
        <label>
          Note
          <textarea
            rows={4}
            value={note}
            maxLength={2_000}
            onChange={({ target }) => setNote(target.value)}
          />
        </label>
        <Refusing refusal={refusal} />
        <div className="buttons">
          <button type="submit" className="primary">
            Store
          </button>
        </div>
      </form>
    </Dialog>
  );
}
