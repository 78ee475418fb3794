/** What a person does to the work of an event, with a reason. */

import type { JSX } from "react";
import { api } from "../api.ts";
import { Dialog } from "../dialog.tsx";
import { ReasonForm } from "../reason-form.tsx";
import { madeSeen } from "../told.tsx";

/** An act on work. */
export type WorkAct = "replay" | "ignore";

interface Words {
  readonly titleOfAll: string;
  readonly titleOfOne: string;
  readonly says: string;
  readonly action: string;
}

const WORDS: Readonly<Record<WorkAct, Words>> = {
  replay: {
    titleOfAll: "Replay",
    titleOfOne: "Do again",
    says:
      "Its work is done again. What it did before is not done twice: a case that was started is found, and a fact that a case " +
      "knows is not told again.",
    action: "Open it again",
  },
  ignore: {
    titleOfAll: "Ignore",
    titleOfOne: "Ignore",
    says:
      "Its work is left undone, and nobody is asked for it any more. The event stays stored. When it comes again, that does " +
      "not bring the work back; a replay does. What a case was told before is not taken back.",
    action: "Leave it undone",
  },
};

/** Of which event and consumer; null = of every one. */
export interface WorkDialogProps {
  readonly act: WorkAct;
  readonly eventId: string;
  readonly consumer: string | null;
  readonly onDone: (sentence: string) => void;
  readonly onClose: () => void;
}

/** The dialog. */
export function WorkDialog({ act, eventId, consumer, onDone, onClose }: WorkDialogProps): JSX.Element {
  const { titleOfAll, titleOfOne, says, action } = WORDS[act];
  const send = async (reason: string): Promise<void> => {
    const asked = { eventId, reason, ...(consumer === null ? {} : { consumer }) };
    const { sentence } = await (act === "replay" ? api.replayEvent(asked) : api.ignoreEvent(asked));
    onDone(sentence);
  };
  return (
    <Dialog title={consumer === null ? titleOfAll : `${titleOfOne}: ${madeSeen(consumer)}`} onClose={onClose}>
      <ReasonForm says={says} action={action} onAct={send} />
    </Dialog>
  );
}
