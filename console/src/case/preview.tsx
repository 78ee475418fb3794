/** What a move would do, asked of the server before it is made: what it lapses, and the plan after it. */

import { useEffect, useRef, useState, type JSX } from "react";
import { api, asRefusal, type Json } from "../api.ts";
import { Sentence } from "../sentence.tsx";
import { Told } from "../told.tsx";
import type { Move } from "./acts.ts";
import { PlanLines } from "./plan-lines.tsx";

type MovePreview = Awaited<ReturnType<typeof api.previewMove>>;

/** A move that can be looked at first. */
type PreviewedMove = MovePreview["move"];

/** What is asked. `input` is undefined for moves other than a correction, and for one that is not filled in yet. */
export interface PreviewAsked {
  readonly caseId: string;
  readonly move: Move;
  readonly step: string | null;
  readonly repairId: string | undefined;
  readonly input?: Json;
  /** Another number asks anew. */
  readonly round: number;
}

/** The move as previews name it; null = it has none. */
function previewed(move: Move): { readonly move: PreviewedMove; readonly force?: true } | null {
  switch (move) {
    case "force":
      return { move: "resume", force: true };
    case "resume":
    case "correct":
    case "check":
    case "confirm":
    case "ruleOut":
    case "skip":
    case "redo":
    case "undo":
    case "leaveOutside":
    case "cancel":
      return { move };
    case "approve":
    case "standIn":
    case "restoreAccess":
    case "assign":
    case "handOver":
    case "note":
    case "pause":
    case "open":
    case "close":
    case "takeOver":
      return null;
  }
}

/** What came of asking. */
export type Previewed =
  | { readonly kind: "none" }
  | { readonly kind: "asking" }
  | { readonly kind: "shown"; readonly preview: MovePreview }
  | { readonly kind: "failed"; readonly why: string };

/** Asks for the preview of a move while its dialog is open. */
export function usePreview({ caseId, move, step, repairId, input, round }: PreviewAsked): Previewed {
  const as = previewed(move);
  const isAskable = as !== null && (move !== "correct" || input !== undefined);
  const [state, setState] = useState<Previewed>({ kind: "none" });
  const body = JSON.stringify({
    caseId,
    ...as,
    ...(step === null ? {} : { step }),
    ...(repairId === undefined ? {} : { repairId }),
    ...(input === undefined ? {} : { input }),
  });
  useEffect(() => {
    if (!isAskable) return undefined;
    const ending = new AbortController();
    const ask = async (): Promise<void> => {
      setState({ kind: "asking" });
      try {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what was written as JSON just above
        const asked = JSON.parse(body) as Parameters<typeof api.previewMove>[0];
        const preview = await api.previewMove(asked, { signal: ending.signal });
        if (!ending.signal.aborted) setState({ kind: "shown", preview });
      } catch (error) {
        if (!ending.signal.aborted) setState({ kind: "failed", why: asRefusal(error).message });
      }
    };
    void ask();
    return () => ending.abort();
  }, [isAskable, body, round]);
  return isAskable ? state : { kind: "none" };
}

/** The preview in words. */
export function PreviewLines({ shown }: { readonly shown: Previewed }): JSX.Element | null {
  switch (shown.kind) {
    case "none":
      return null;
    case "asking":
      return <p className="soft">Looking at what it would do…</p>;
    case "failed":
      return (
        <p className="notice">
          What it would do cannot be shown: <Sentence text={shown.why} />
        </p>
      );
    case "shown":
      return <Shown preview={shown.preview} />;
  }
}

function Shown({ preview }: { readonly preview: MovePreview }): JSX.Element {
  const { isAllowed, why, lapses, after } = preview;
  const here = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (preview.move === "correct") here.current?.scrollIntoView({ block: "nearest" });
  }, [preview]);
  return (
    <div ref={here} className="preview">
      {isAllowed ? null : (
        <p className="notice">
          It would be refused: <Sentence text={why ?? ""} />
        </p>
      )}
      {lapses.length === 0 ? null : (
        <div className="notice">
          <p>No longer stands after it:</p>
          <ul>
            {lapses.map(({ step, because, next }) => (
              <li key={step}>
                <strong>
                  <Told text={step} />
                </strong>
                : <Told text={`${because}; ${next}`} />
              </li>
            ))}
          </ul>
        </div>
      )}
      {after === null ? null : <PlanLines plan={after} title="What it would do then" />}
    </div>
  );
}
