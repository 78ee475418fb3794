/** The path: the steps of a case, drawn with what stands, where the foothold is, and what would come next. */

import { useState, type JSX, type ReactNode } from "react";
import type { MoveView } from "../api.ts";
import { Link } from "../link.tsx";
import { casePath } from "../route.ts";
import { When } from "../times.tsx";
import { Sentence } from "../sentence.tsx";
import { madeSeen, Told, Value } from "../told.tsx";
import { useSome } from "../some.tsx";
import { lanesOf } from "./lanes.ts";
import { MoveButtons } from "./moves.tsx";
import { MARKS, sayParts, type PathStep } from "./path-steps.ts";
import { Rail, railRoom } from "./rail.tsx";
import { FailureText, type StepFailure } from "./went-wrong.tsx";

/** What is told, and can be done, at single keys of an `each`. */
export interface AtKeys {
  /** By the name of the key's step. */
  readonly moves: ReadonlyMap<string, readonly MoveView[]>;
  readonly failures: readonly StepFailure[];
  readonly onPick: (move: MoveView) => void;
}

/** The path. */
export function Path({
  steps,
  atKeys,
}: {
  readonly steps: readonly PathStep[];
  readonly atKeys: AtKeys;
}): JSX.Element {
  const rows = lanesOf(steps);
  const { width, lanePx } = railRoom(rows);
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
              {row === undefined ? null : (
                <Rail row={row} sign={MARKS[step.mark].sign} lanePx={lanePx} standing={standing} />
              )}
            </div>
            <div className="path-text">
              <StepText step={step} />
              {step.parts.length === 0 ? null : <Parts parts={step.parts} {...atKeys} />}
            </div>
          </li>
        );
      })}
    </ol>
  );
}

function StepText({ step }: { readonly step: PathStep }): JSX.Element {
  const { name, what, mark, isFoothold, confirmed, review, wait, child } = step;
  // What the review or the confirmation says already is not said twice.
  const planned = review !== null || mark === "confirmed" ? "" : step.planned;
  return (
    <>
      <div className="path-head">
        <h3>
          <Told text={name} />
        </h3>
        <span className={`path-mark mark-${mark}`}>{MARKS[mark].word}</span>
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
      {child === null ? null : (
        <p>
          <Link to={casePath(child.caseId)} className="case-link">
            <Told text={child.caseType} /> case {child.caseId}
          </Link>
        </p>
      )}
      {step.nextCheckAllowedAt === null ? null : (
        <p className="soft">
          Next check allowed <When at={step.nextCheckAllowedAt} isExact />
        </p>
      )}
      {confirmed === null ? null : <Confirmed name={name} confirmed={confirmed} />}
    </>
  );
}

/** Keys that are seen at first. */
const PARTS_SEEN = 12;

/** The keys of an `each`. Open at first where one of them waits for a person, or where they are few. */
function Parts({
  parts,
  moves,
  failures,
  onPick,
}: AtKeys & { readonly parts: readonly PathStep[] }): JSX.Element {
  const { shown, more } = useSome(parts, { most: PARTS_SEEN, name: "key" });
  // What becomes of the keys meanwhile closes nothing under a hand.
  const [isOpen, setOpen] = useState(parts.length <= PARTS_SEEN || parts[0]?.mark === "person");
  return (
    <details className="fold" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{sayParts(parts)}</summary>
      <ul className="path-parts">
        {shown.map((part) => (
          <li key={part.name}>
            {/* Where the case goes on from is told of the whole step. */}
            <StepText step={{ ...part, isFoothold: false }} />
            <KeyFailure failure={failures.find(({ step }) => step === part.name)} />
            <KeyMoves name={part.name} moves={moves.get(part.name) ?? []} onPick={onPick} />
          </li>
        ))}
      </ul>
      {more}
    </details>
  );
}

function KeyFailure({ failure }: { readonly failure: StepFailure | undefined }): JSX.Element | null {
  if (failure === undefined) return null;
  const name = madeSeen(failure.step);
  return (
    <details className="fold">
      <summary>What went wrong at {name}</summary>
      <FailureText one={failure} seen={`What ${name} was answered`} />
    </details>
  );
}

function KeyMoves({
  name,
  moves,
  onPick,
}: Pick<AtKeys, "onPick"> & {
  readonly name: string;
  readonly moves: readonly MoveView[];
}): JSX.Element | null {
  if (moves.length === 0) return null;
  return (
    <details className="fold">
      <summary>Act on {madeSeen(name)}</summary>
      <MoveButtons moves={moves} first={null} onPick={onPick} />
    </details>
  );
}

function Confirmed({
  name,
  confirmed,
}: {
  readonly name: string;
  readonly confirmed: NonNullable<PathStep["confirmed"]>;
}): JSX.Element {
  const { at, how, result, evidence, idempotencyKey, lapsedBecause } = confirmed;
  return (
    <details className="fold">
      <summary>
        <span className="hidden">{madeSeen(name)}: </span>
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
            <Value value={result.value} name={`Result of ${madeSeen(name)}`} />
          ) : (
            <>
              cannot be read: <Told text={result.why} />
            </>
          )}
        </Fact>
        {evidence === null ? null : (
          <Fact name="Evidence">
            <Value value={evidence} name={`Evidence of ${madeSeen(name)}`} />
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
