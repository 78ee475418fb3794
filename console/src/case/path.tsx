/** The path: the steps of a case, drawn with what stands, where the foothold is, and what would come next. */

import type { JSX, ReactNode } from "react";
import { When } from "../times.tsx";
import { Sentence } from "../sentence.tsx";
import { Told, Value } from "../told.tsx";
import { useSome } from "../some.tsx";
import { lanesOf } from "./lanes.ts";
import { MARKS, sayParts, type PathStep } from "./path-steps.ts";
import { Rail, railWidth } from "./rail.tsx";

/** The path. */
export function Path({ steps }: { readonly steps: readonly PathStep[] }): JSX.Element {
  const rows = lanesOf(steps);
  const width = railWidth(rows);
  const standing = new Set(
    steps.filter(({ mark }) => mark === "confirmed" || mark === "passedOver").map(({ name }) => name),
  );
  return (
    <ol className="path">
      {steps.map((step, index) => {
        const row = rows[index];
        return (
          <li key={step.name} className={`path-step mark-${step.mark}`}>
            <div className="rail-box" style={{ width }}>
              {row === undefined ? null : <Rail row={row} sign={MARKS[step.mark].sign} standing={standing} />}
            </div>
            <div className="path-text">
              <StepText step={step} />
            </div>
          </li>
        );
      })}
    </ol>
  );
}

function StepText({ step }: { readonly step: PathStep }): JSX.Element {
  const { name, what, mark, isFoothold, confirmed, review, wait } = step;
  // What the review or the confirmation says already is not said twice.
  const planned = review !== null || mark === "confirmed" ? "" : step.planned;
  return (
    <>
      <div className="path-head">
        <h3>
          <Told text={name} />
        </h3>
        <span className="path-mark">{MARKS[mark].word}</span>
        {isFoothold ? (
          <span
            className="foothold"
            title="The last steps that stand: whatever happens, the case goes on after them"
          >
            Foothold
          </span>
        ) : null}
        {what === "" ? null : (
          <span className="soft">
            <Told text={what} />
          </span>
        )}
      </div>
      {review === null ? null : (
        <p className="path-need">
          <strong>
            <Told text={review.owner} />
          </strong>{" "}
          acts: <Sentence text={review.sentence} />
          {review.window === undefined ? null : (
            <>
              {" "}
              Safe to send again until <When at={review.window.resendSafeUntilAt} isExact />.
            </>
          )}
        </p>
      )}
      {planned === null ? (
        wait === null ? null : (
          <p>
            <Sentence text={wait.sentence} />
          </p>
        )
      ) : (
        <p className={planned === "" ? "hidden" : undefined}>
          <Sentence text={planned} />
        </p>
      )}
      {wait?.mayAnswer === undefined || wait.mayAnswer === null ? null : (
        <p className="soft">
          <Sentence text={wait.mayAnswer} />
        </p>
      )}
      {step.nextCheckAllowedAt === null ? null : (
        <p className="soft">
          Next check allowed <When at={step.nextCheckAllowedAt} isExact />
        </p>
      )}
      {confirmed === null ? null : <Confirmed confirmed={confirmed} />}
      {step.parts.length === 0 ? null : <Parts parts={step.parts} />}
    </>
  );
}

/** Keys that are seen at first. */
const PARTS_SEEN = 12;

/** The keys of an `each`. Open while one of them waits for a person, or while they are few. */
function Parts({ parts }: { readonly parts: readonly PathStep[] }): JSX.Element {
  const { shown, more } = useSome(parts, { most: PARTS_SEEN, name: "key" });
  const isOpen = parts.length <= PARTS_SEEN || parts[0]?.mark === "person";
  return (
    <details className="fold" open={isOpen}>
      <summary>{sayParts(parts)}</summary>
      <ul className="path-parts">
        {shown.map((part) => (
          <li key={part.name} className={`mark-${part.mark}`}>
            <StepText step={part} />
          </li>
        ))}
      </ul>
      {more}
    </details>
  );
}

function Confirmed({ confirmed }: { readonly confirmed: NonNullable<PathStep["confirmed"]> }): JSX.Element {
  const { at, how, result, evidence, idempotencyKey, lapsedBecause } = confirmed;
  return (
    <details className="fold">
      <summary>
        Confirmed <When at={at} /> <Sentence text={how} />
        {lapsedBecause === null ? null : (
          <>
            {" "}
            – no longer stands: <Sentence text={lapsedBecause} />
          </>
        )}
      </summary>
      <dl className="facts">
        <Fact name="When">
          <When at={at} isExact />
        </Fact>
        {idempotencyKey === null ? null : (
          <Fact name="Key">
            <code>
              <Told text={idempotencyKey} />
            </code>
          </Fact>
        )}
        <Fact name="Result">
          {result.kind === "value" ? (
            <Value value={result.value} name="Result" />
          ) : (
            <>
              cannot be read: <Told text={result.why} />
            </>
          )}
        </Fact>
        {evidence === null ? null : (
          <Fact name="Evidence">
            <Value value={evidence} name="Evidence" />
          </Fact>
        )}
      </dl>
    </details>
  );
}

/** A name and what it is. */
export function Fact({
  name,
  children,
}: {
  readonly name: string;
  readonly children: ReactNode;
}): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
