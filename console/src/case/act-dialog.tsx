/** One move, asked for: what it does, what it would bring, what the person fills in, and what came of it. */

import { useState, type JSX } from "react";
import { asRefusal, type CaseView, type FormsView, type Json, type MoveView, type Refusal } from "../api.ts";
import { Dialog } from "../dialog.tsx";
import { ActFields, emptyForm, type ActForm } from "./act-fields.tsx";
import { makeMove, MOVE_FORMS, type Filled, type Move, type MoveReply } from "./acts.ts";
import type { FieldNote } from "./form-fields.ts";
import { PlanLines } from "./plan-lines.tsx";
import { PreviewLines, usePreview } from "./preview.tsx";
import { draftOf, isEmpty, readDraft, type Draft } from "./record-form.tsx";
import { Refused } from "./refused.tsx";

/** What the dialog is about. */
export interface ActDialogProps {
  readonly view: CaseView;
  readonly move: Omit<MoveView, "move"> & { readonly move: Exclude<Move, "restoreAccess"> };
  /** Null where none could be read: then JSON is filled in. */
  readonly forms: FormsView | null;
  readonly repairId: string | undefined;
  readonly onDone: (reply: MoveReply) => void;
  readonly onClose: () => void;
}

/** The plan version that an act on the case, or on one step, binds to. */
function planNow({ plan }: CaseView, step: string | null): string {
  return plan?.steps.find((one) => one.step === step)?.version ?? plan?.version ?? "*";
}

/** The JSON Schema of the record that a move asks for; null = none is known. */
function schemaFor(forms: FormsView | null, move: Move, step: string | null): Json {
  const readings = isAnswer(move) ? forms?.approvals : forms?.results;
  const named = readings?.[step ?? ""] ?? readings?.[(step ?? "").replace(/\[[^\][]*\]$/, "[]")];
  const reading = move === "correct" ? forms?.input : named;
  return reading?.kind === "schema" ? reading.schema : null;
}

function isAnswer(move: Move): boolean {
  return move === "approve" || move === "standIn";
}

/** The dialog. */
export function ActDialog(props: ActDialogProps): JSX.Element {
  const { view, forms, repairId, onDone, onClose } = props;
  const { move, step, isPlanned, isRisky, reason } = props.move;
  const asked = MOVE_FORMS[move];
  const [form, setForm] = useState(emptyForm);
  const [draft, setDraft] = useState(() =>
    draftOf(move === "correct" ? view.input : null, schemaFor(forms, move, step)),
  );
  const [opened, setOpened] = useState(() => planNow(view, step));
  const [renewed, setRenewed] = useState<string | null>(null);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const [faults, setFaults] = useState<readonly FieldNote[]>([]);
  const [isSending, setSending] = useState(false);
  const [looked, setLooked] = useState<{ readonly input?: Json; readonly round: number }>({ round: 0 });
  const resumed = form.step === "" ? null : form.step;
  const shown = usePreview({
    caseId: view.caseId,
    move,
    step: move === "resume" ? resumed : step,
    repairId,
    ...looked,
  });
  const preview = shown.kind === "shown" ? shown.preview : null;

  const read = (): Filled | null => {
    const filled = readForm(form, draft, move);
    if (!("faults" in filled)) return filled;
    setFaults(filled.faults);
    return null;
  };
  const look = (): void => {
    setFaults([]);
    const filled = read();
    if (filled !== null) setLooked(({ round }) => ({ input: filled.input, round: round + 1 }));
  };
  const send = async (): Promise<void> => {
    setRefusal(null);
    setFaults([]);
    const filled = read();
    if (filled === null) return;
    setSending(true);
    try {
      const plan = renewed ?? preview?.plan ?? opened;
      onDone(await makeMove(move, { caseId: view.caseId, step, repairId, plan }, filled));
    } catch (error) {
      setRefusal(asRefusal(error));
      setSending(false);
    }
  };
  return (
    <Dialog title={step === null ? asked.name : `${asked.name}: ${step}`} onClose={onClose}>
      <form
        className="act"
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <p>{asked.about}</p>
        <ActFields
          view={view}
          move={move}
          reason={reason}
          form={form}
          change={(changed) => setForm((was) => ({ ...was, ...changed }))}
          draft={draft}
          setDraft={setDraft}
          faults={[...faults, ...(refusal?.details.fields ?? [])]}
        />
        <PreviewLines shown={shown} />
        {isPlanned && shown.kind === "none" ? (
          <details className="fold">
            <summary>The plan as it stands</summary>
            <PlanLines plan={view.plan} title="If it goes on as it stands" />
          </details>
        ) : null}
        <Refused
          refusal={refusal}
          isStale={isPlanned && renewed === null && opened !== planNow(view, step)}
          onRenew={(plan) => {
            setRenewed(plan ?? planNow(view, step));
            setOpened(planNow(view, step));
            setLooked((was) => ({ ...was, round: was.round + 1 }));
            setRefusal(null);
          }}
        />
        <div className="buttons">
          {move === "correct" ? (
            <button type="button" onClick={look}>
              Show what it would do
            </button>
          ) : null}
          <button type="submit" className={isRisky ? "primary is-final" : "primary"} disabled={isSending}>
            {isSending ? "Sending…" : asked.name}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** What was filled in, or what is wrong with it. */
function readForm(
  form: ActForm,
  draft: Draft,
  move: Move,
): Filled | { readonly faults: readonly FieldNote[] } {
  const asksRecord = MOVE_FORMS[move].fields.some(
    (one) => one === "input" || one === "answer" || one === "result",
  );
  const isFilled = asksRecord && (move === "correct" || !isEmpty(draft));
  const record = isFilled ? readDraft(draft) : null;
  if (record?.kind === "unreadable") return record;
  const value = record?.value;
  return {
    reason: form.reason.trim(),
    evidence: form.evidence.trim(),
    result: isAnswer(move) ? undefined : value,
    approved: form.approved === true,
    form: isAnswer(move) ? value : undefined,
    untilAt: form.untilAt === "" ? null : new Date(form.untilAt).getTime(),
    text: form.text.trim(),
    input: move === "correct" ? (value ?? null) : null,
    step: form.step === "" ? null : form.step,
    assignee: form.assignee.trim(),
  };
}
