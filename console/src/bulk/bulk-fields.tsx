/** The fields of a bulk act: the move, and what that move asks. */

import type { JSX } from "react";
import type { Me } from "../api.ts";
import { BULK_MOVES, type BulkForm } from "./bulk-form.ts";

/** What is filled in. */
export interface BulkFieldsProps {
  readonly form: BulkForm;
  readonly me: Me;
  readonly change: (changed: Partial<BulkForm>) => void;
}

/** The fields. */
export function BulkFields({ form, me, change }: BulkFieldsProps): JSX.Element {
  const { move } = form;
  const offered = BULK_MOVES.filter(([name]) => me.verbs.includes(name));
  const isReasonNeeded = move === "cancel" || move === "skip";
  return (
    <>
      <label>
        Move
        <select value={move} onChange={({ target }) => change({ move: moveOf(target.value) })}>
          {offered.map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {move === "resume" || move === "check" || move === "skip" ? (
        <label>
          {move === "resume" ? "Step (empty: every one that can go on)" : "Step"}
          <input
            required={move !== "resume"}
            value={form.step}
            onChange={({ target }) => change({ step: target.value })}
          />
        </label>
      ) : null}
      {move === "skip" ? (
        <label>
          Result that later steps use, as JSON (may be left out)
          <textarea
            rows={3}
            className="code"
            spellCheck={false}
            value={form.result}
            onChange={({ target }) => change({ result: target.value })}
          />
        </label>
      ) : null}
      {move === "pause" ? (
        <label>
          Until (empty: until somebody resumes it)
          <input
            type="datetime-local"
            value={form.untilAt}
            onChange={({ target }) => change({ untilAt: target.value })}
          />
        </label>
      ) : null}
      {move === "assign" ? (
        <label>
          To whom (empty: nobody in particular)
          <input value={form.assignee} onChange={({ target }) => change({ assignee: target.value })} />
        </label>
      ) : null}
      {move === "note" ? (
        <label>
          Note
          <textarea
            rows={3}
            required
            value={form.text}
            onChange={({ target }) => change({ text: target.value })}
          />
        </label>
      ) : null}
      <label>
        {isReasonNeeded ? "Reason" : "Reason (may be left out)"}
        <textarea
          rows={2}
          required={isReasonNeeded}
          value={form.reason}
          onChange={({ target }) => change({ reason: target.value })}
        />
      </label>
      {move === "resume" || move === "skip" ? (
        <label className="check">
          <input
            type="checkbox"
            checked={form.isTriedFirst}
            onChange={({ target }) => change({ isTriedFirst: target.checked })}
          />
          Try one first: the others begin once it turned out well
        </label>
      ) : null}
    </>
  );
}

function moveOf(value: string): BulkForm["move"] {
  return BULK_MOVES.find(([move]) => move === value)?.[0] ?? "resume";
}
