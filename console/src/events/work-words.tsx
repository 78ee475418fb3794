/** What an event is called by what became of it. */

import type { JSX } from "react";
import type { api } from "../api.ts";
import { casePath } from "../route.ts";
import { Link } from "../link.tsx";
import { By } from "../times.tsx";
import { Told } from "../told.tsx";

type Listed = Awaited<ReturnType<typeof api.listEvents>>["events"][number];

/** Work that an event calls for. */
export type Work = Listed["work"][number];

/** Where work stands, in words, with its look. */
export const WORK_STATES: Readonly<Record<Work["state"], readonly [word: string, tone: string]>> = {
  ready: ["to be done", "wait"],
  claimed: ["under way", "run"],
  waiting: ["waits", "wait"],
  in_review: ["needs a person", "need"],
  done: ["done", "done"],
  ignored: ["ignored", "off"],
};

/** What an arrival led to, in words. */
export const STANDINGS: Readonly<Record<Listed["event"]["standing"], string>> = {
  routed: "somebody takes it",
  nobody: "nobody takes it",
  unreadable: "cannot be read",
};

/** What becomes of one piece of work. */
export function WorkLine({ work }: { readonly work: Work }): JSX.Element {
  const { consumer, state, sentence, caseIds, waitsFor, dueAt, owner } = work;
  const [word, tone] = WORK_STATES[state];
  return (
    <>
      <span className={`badge tone-${tone}`}>{word}</span> <Told text={consumer} />
      {sentence === null ? null : (
        <>
          : <Told text={sentence} />
        </>
      )}
      {waitsFor === null ? null : (
        <small>
          held for the case of <Told text={waitsFor.caseType} /> with the key <Told text={waitsFor.key} />
        </small>
      )}
      {state === "in_review" ? (
        <small>
          <Told text={owner} /> acts
        </small>
      ) : null}
      {dueAt === null ? null : (
        <small>
          looked at again <By at={dueAt} />
        </small>
      )}
      {caseIds.map((caseId) => (
        <small key={caseId}>
          case <Link to={casePath(caseId)}>{caseId}</Link>
        </small>
      ))}
    </>
  );
}
