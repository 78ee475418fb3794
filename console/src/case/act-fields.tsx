/** What a move asks of a person. */

import type { JSX } from "react";
import type { CaseView, MoveView } from "../api.ts";
import { Told } from "../told.tsx";
import { MOVE_FORMS, type AskedField, type Move } from "./acts.ts";
import type { FieldNote } from "./form-fields.ts";
import { RecordForm, type Draft } from "./record-form.tsx";

/** What stands in the form, as it was typed. */
export interface ActForm {
  readonly reason: string;
  readonly evidence: string;
  readonly approved: boolean | null;
  readonly untilAt: string;
  readonly text: string;
  readonly step: string;
  readonly assignee: string;
}

/** Nothing filled in yet. */
export const emptyForm: ActForm = {
  reason: "",
  evidence: "",
  approved: null,
  untilAt: "",
  text: "",
  step: "",
  assignee: "",
};

/** What the fields need. */
export interface ActFieldsProps {
  readonly view: CaseView;
  readonly move: Move;
  readonly reason: MoveView["reason"];
  readonly form: ActForm;
  readonly change: (changed: Partial<ActForm>) => void;
  readonly draft: Draft;
  readonly setDraft: (draft: Draft) => void;
  /** What cannot be read, or was refused. */
  readonly faults: readonly FieldNote[];
}

/** The fields. */
export function ActFields(props: ActFieldsProps): JSX.Element {
  const { view, move, reason, form, change, draft, setDraft, faults } = props;
  const { fields } = MOVE_FORMS[move];
  const has = (name: AskedField): boolean => fields.includes(name);
  const record = { draft, onDraft: setDraft };
  // Of steps side by side another one may have failed since.
  const rejected = view.failures.flatMap(({ failure }) =>
    failure.kind === "rejected" ? failure.fields : [],
  );
  const notes = faults.length > 0 ? faults : rejected;
  return (
    <>
      {has("input") ? <RecordForm legend="Input" old={view.input} notes={notes} {...record} /> : null}
      {has("answer") ? (
        <>
          <Answer form={form} change={change} />
          <RecordForm
            legend="What the approval asks for (where it does)"
            old={null}
            notes={faults}
            {...record}
          />
          {reason === "none" ? (
            <Text name="Note (may be left out)" value={form.text} onText={(text) => change({ text })} />
          ) : null}
        </>
      ) : null}
      {has("evidence") ? (
        <Text
          name="Evidence, such as an outside id"
          value={form.evidence}
          onText={(evidence) => change({ evidence })}
        />
      ) : null}
      {has("result") ? (
        <RecordForm legend="Result, where later steps use it" old={null} notes={faults} {...record} />
      ) : null}
      {has("untilAt") ? (
        <label>
          Until (empty: until somebody resumes it)
          <input
            type="datetime-local"
            value={form.untilAt}
            onChange={({ target }) => change({ untilAt: target.value })}
          />
        </label>
      ) : null}
      {has("text") ? (
        <Text name="Note" value={form.text} isNeeded onText={(text) => change({ text })} />
      ) : null}
      {has("assignee") ? (
        <label>
          To whom
          <input
            required={move === "handOver"}
            value={form.assignee}
            onChange={({ target }) => change({ assignee: target.value })}
          />
        </label>
      ) : null}
      {has("step") ? <OneStep view={view} form={form} change={change} /> : null}
      {reason === "none" ? null : (
        <Text
          name={reason === "needed" ? "Reason" : "Reason (may be left out)"}
          value={form.reason}
          isNeeded={reason === "needed"}
          onText={(text) => change({ reason: text })}
        />
      )}
      {has("input") || has("answer") || has("result")
        ? null
        : faults.map(({ path, message }) => (
            <p key={`${path} ${message}`} role="alert" className="field-note">
              <Told text={`${path}: ${message}`} />
            </p>
          ))}
    </>
  );
}

type Changing = Pick<ActFieldsProps, "form" | "change">;

function Answer({ form, change }: Changing): JSX.Element {
  return (
    <fieldset className="answer">
      <legend>Answer</legend>
      {([true, false] as const).map((approved) => (
        <label key={String(approved)} className="check">
          <input
            type="radio"
            name="approved"
            required
            checked={form.approved === approved}
            onChange={() => change({ approved })}
          />
          {approved ? "Approve" : "Refuse"}
        </label>
      ))}
    </fieldset>
  );
}

function OneStep({ view, form, change }: Changing & { readonly view: CaseView }): JSX.Element | null {
  const steps = [...new Set([...view.reviews, ...view.waits].map(({ step }) => step))];
  if (steps.length < 2) return null;
  return (
    <label>
      Step
      <select value={form.step} onChange={({ target }) => change({ step: target.value })}>
        <option value="">every one that can go on</option>
        {steps.map((step) => (
          <option key={step} value={step}>
            {step}
          </option>
        ))}
      </select>
    </label>
  );
}

interface TextProps {
  readonly name: string;
  readonly value: string;
  readonly onText: (text: string) => void;
  readonly isNeeded?: boolean;
}

function Text({ name, value, onText, isNeeded = false }: TextProps): JSX.Element {
  return (
    <label>
      {name}
      <textarea rows={2} required={isNeeded} value={value} onChange={({ target }) => onText(target.value)} />
    </label>
  );
}
