/** The moves of a case: those that can be made, the likeliest first, and why the others cannot be. */

import type { JSX } from "react";
import type { CaseView, MoveView } from "../api.ts";
import { Sentence } from "../sentence.tsx";
import { MOVE_FORMS, type Move } from "./acts.ts";

/** What the list needs. */
export interface MovesProps {
  readonly view: CaseView;
  /** Those of its moves that stand here. */
  readonly moves: readonly MoveView[];
  /** True where others stand at single keys. */
  readonly hasKeyMoves: boolean;
  readonly onPick: (move: MoveView) => void;
}

/** The move that answers what the case waits for; null = none stands out. */
function likeliest(view: CaseView): Move | null {
  const [review] = view.reviews;
  if (review === undefined)
    return view.moves.some(({ move, isAllowed }) => move === "approve" && isAllowed) ? "approve" : null;
  if (review.reason === "rejected") return "correct";
  if (review.reason === "unknown") return "confirm";
  return review.reason === "denied" ? "restoreAccess" : "resume";
}

/** The list. */
export function Moves({ view, moves, hasKeyMoves, onPick }: MovesProps): JSX.Element {
  const first = likeliest(view);
  const allowed = moves
    .filter(({ isAllowed }) => isAllowed)
    .toSorted((one, other) => Number(other.move === first) - Number(one.move === first));
  const risky = allowed.filter(({ isRisky, move }) => isRisky && move !== first);
  const refused = moves.filter(({ isAllowed }) => !isAllowed);
  return (
    <section className="card" aria-labelledby="moves">
      <h2 id="moves">What you can do</h2>
      <MoveButtons
        moves={allowed.filter(({ isRisky, move }) => !isRisky || move === first)}
        first={first}
        onPick={onPick}
      />
      {hasKeyMoves ? (
        <p className="soft">What can be done to a single key stands at it, in the path.</p>
      ) : null}
      {risky.length === 0 ? null : (
        <details className="fold">
          <summary>Against what the engine would do by itself ({risky.length})</summary>
          <MoveButtons moves={risky} first={first} onPick={onPick} />
        </details>
      )}
      {refused.length === 0 ? null : (
        <details className="fold">
          <summary>Not now ({refused.length})</summary>
          <dl className="facts">
            {refused.map((one) => (
              <div key={keyOf(one)}>
                <dt>{nameOf(one)}</dt>
                <dd>
                  <Sentence text={one.why ?? "It is not possible now."} />
                </dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </section>
  );
}

interface ButtonsProps {
  readonly moves: readonly MoveView[];
  /** The one that stands out; null = none does. */
  readonly first: Move | null;
  readonly onPick: (move: MoveView) => void;
}

/** A button for each move. */
export function MoveButtons({ moves, first, onPick }: ButtonsProps): JSX.Element {
  return (
    <ul className="moves">
      {moves.map((one) => (
        <li key={keyOf(one)}>
          <button
            type="button"
            className={one.move === first ? "primary" : undefined}
            onClick={() => onPick(one)}
          >
            {nameOf(one)}
          </button>
        </li>
      ))}
    </ul>
  );
}

function keyOf({ move, step, credential }: MoveView): string {
  return `${move} ${step ?? ""} ${credential?.destination ?? ""} ${credential?.credentialId ?? ""}`;
}

/** The move that shows what comes next: a resume, or else what the case waits for; null = there is neither. */
export function plannedMove(view: CaseView): MoveView | null {
  const find = (name: Move | null): MoveView | null => view.moves.find(({ move }) => move === name) ?? null;
  const resume = find("resume");
  return resume?.isAllowed === true ? resume : (find(likeliest(view)) ?? resume);
}

/** What a move is called on its button. */
export function nameOf({ move, step, credential }: MoveView): string {
  const { name } = MOVE_FORMS[move];
  const about = step ?? credential?.destination ?? null;
  return about === null ? name : `${name}: ${about}`;
}
