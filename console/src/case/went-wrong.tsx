/** What went wrong at each step that waits for it, or what was overcome since. */

import type { JSX } from "react";
import type { CaseView } from "../api.ts";
import { Sentence } from "../sentence.tsx";
import { useSome } from "../some.tsx";
import { When } from "../times.tsx";
import { madeSeen, Told, Value } from "../told.tsx";

/** The last failure of a step, in words. */
export type StepFailure = CaseView["failures"][number];

const executedWords: Readonly<Record<string, string>> = {
  no: "It did not happen.",
  maybe: "It may have happened.",
  yes: "It happened.",
  partial: "A part of it happened.",
};

/** Every failure that stands; where none does, the last one. */
export function WentWrong({ view }: { readonly view: CaseView }): JSX.Element | null {
  const { lastError, failures } = view;
  const isOvercome =
    failures.length === 0 &&
    view.steps.some(({ step, standing }) => step === lastError?.step && standing === "stands");
  const told = failures.length > 0 || lastError === null ? failures : [lastError];
  const { shown, more } = useSome(told, { most: 4, name: "failure" });
  if (told.length === 0) return null;
  return (
    <section className="card" aria-labelledby="wrong">
      <h2 id="wrong">{isOvercome ? "The last failure, overcome since" : "What went wrong"}</h2>
      {shown.map((one) => (
        <div key={one.step} className="failure">
          {told.length === 1 ? null : (
            <h3>
              <Told text={one.step} />
            </h3>
          )}
          <FailureText one={one} isOvercome={isOvercome} seen={`What was seen at ${madeSeen(one.step)}`} />
        </div>
      ))}
      {more}
    </section>
  );
}

/** What the failure is, what it means, and what was seen; `seen` names the last of it. */
export function FailureText({
  one,
  seen,
  isOvercome = false,
}: {
  readonly one: StepFailure;
  readonly seen: string;
  readonly isOvercome?: boolean;
}): JSX.Element {
  const { step, attempt, at, failure, kindWords, instructionWords } = one;
  return (
    <>
      <p>
        <span className={`badge tone-${isOvercome ? "off" : "need"}`}>{failure.kind}</span>{" "}
        <Told text={failure.sentence} /> {executedWords[failure.executed] ?? ""}
      </p>
      <p>
        <Told text={kindWords} />
      </p>
      {instructionWords === null ? null : (
        <p>
          <Sentence text={instructionWords} />
        </p>
      )}
      {failure.fields.length === 0 ? null : (
        <ul>
          {failure.fields.map(({ path, message }) => (
            <li key={`${path} ${message}`}>
              <code>
                <Told text={path} />
              </code>
              : <Told text={message} />
            </li>
          ))}
        </ul>
      )}
      {failure.raw === null ? null : (
        <details className="fold">
          <summary>{seen}</summary>
          <Value value={failure.raw} name={seen} />
        </details>
      )}
      <p className="soft">
        <Told text={step} />, attempt {attempt}, <When at={at} isExact />, sorted by{" "}
        <code>{failure.rule}</code>
      </p>
    </>
  );
}
