/** Why a move was refused, with what changed in the plan, and the way on. */

import type { JSX } from "react";
import { changesOf, type Refusal } from "../api.ts";
import { Sentence } from "../sentence.tsx";
import { Told } from "../told.tsx";

/** What is shown. */
export interface RefusedProps {
  readonly refusal: Refusal | null;
  /** True = the plan became another one while the dialog was open. */
  readonly isStale: boolean;
  /** Binds the act to this plan; null = the one that the page shows now. */
  readonly onRenew: (plan: string | null) => void;
}

/** The region is there before its text comes, so that it is told. */
export function Refused({ refusal, isStale, onRenew }: RefusedProps): JSX.Element {
  const { changes, plan } = refusal === null ? { changes: [], plan: null } : changesOf(refusal);
  const isChanged = refusal?.code === "PLAN_CHANGED";
  return (
    <div role="alert">
      {refusal === null ? null : (
        <div className="notice">
          <p>
            {isChanged && changes.length > 0 ? (
              // The message names the same changes in one line.
              "The plan changed since you saw it, and nothing was done. What changed:"
            ) : (
              <Sentence text={refusal.message} />
            )}{" "}
            <code>{refusal.code}</code>
          </p>
          {changes.length === 0 ? null : (
            <ul>
              {changes.map((change) => (
                <li key={change}>
                  <Told text={change} />
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
      {isChanged || (refusal === null && isStale) ? (
        <p className="notice">
          {isChanged ? "" : "The plan changed while this was open. "}
          <button type="button" onClick={() => onRenew(plan)}>
            I have seen it: go by the plan as it is now
          </button>
        </p>
      ) : null}
    </div>
  );
}
