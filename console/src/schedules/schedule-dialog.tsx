/** What a person does about a schedule, with a reason. */

import { useState, type JSX } from "react";
import { api } from "../api.ts";
import { Dialog } from "../dialog.tsx";
import { ReasonForm } from "../reason-form.tsx";

/** An order to a schedule. */
export type ScheduleOrder =
  | { readonly kind: "pause" }
  | { readonly kind: "resume" }
  /** Null = one now, beside the calendar. */
  | { readonly kind: "start"; readonly slotAt: number | null }
  | { readonly kind: "leave"; readonly slotKey: string };

interface Words {
  readonly title: string;
  readonly says: string;
  readonly action: string;
}

const WORDS: Readonly<Record<ScheduleOrder["kind"], Words>> = {
  pause: {
    title: "Pause the schedule",
    says: "It starts nothing until it goes on; the slots meanwhile are left out, and on record. Cases that were started go on.",
    action: "Pause it",
  },
  resume: {
    title: "Resume the schedule",
    says: "It goes on with the first slot after now. What the pause left out can be started by hand.",
    action: "Resume it",
  },
  start: {
    title: "Start a case",
    says: "The case of this slot is started, whatever the overlap rule says. A slot has one case, however often it is ordered.",
    action: "Start the case",
  },
  leave: {
    title: "Leave the slot out",
    says: "The slot stays without a case, and nobody is asked for it any more. It can still be started later.",
    action: "Leave it without a case",
  },
};

/** Of which schedule. */
export interface ScheduleDialogProps {
  readonly schedule: string;
  readonly order: ScheduleOrder;
  readonly onDone: (sentence: string) => void;
  readonly onClose: () => void;
}

/** The dialog. */
export function ScheduleDialog({ schedule, order, onDone, onClose }: ScheduleDialogProps): JSX.Element {
  // One order, however often it is sent: a lost answer must not start a second case.
  const [actId] = useState(() => crypto.randomUUID());
  const [until, setUntil] = useState("");
  const { title, says, action } = WORDS[order.kind];
  const act = async (reason: string): Promise<void> => {
    switch (order.kind) {
      case "pause": {
        const untilAt = until === "" ? null : new Date(until).getTime();
        return onDone((await api.pauseSchedule({ schedule, reason, untilAt })).sentence);
      }
      case "resume":
        return onDone((await api.resumeSchedule({ schedule, reason })).sentence);
      case "start": {
        const { slotAt } = order;
        const asked = { schedule, reason, actId, ...(slotAt === null ? {} : { slotAt }) };
        const { caseId, isNew } = await api.startSlot(asked);
        return onDone(isNew ? `Started ${caseId}.` : `This slot has its case: ${caseId}.`);
      }
      case "leave":
        return onDone((await api.leaveSlot({ schedule, slotKey: order.slotKey, reason })).sentence);
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <ReasonForm says={says} action={action} onAct={act}>
        {order.kind === "pause" ? (
          <label>
            Until (empty: until somebody resumes it)
            <input type="datetime-local" value={until} onChange={({ target }) => setUntil(target.value)} />
          </label>
        ) : null}
      </ReasonForm>
    </Dialog>
  );
}
