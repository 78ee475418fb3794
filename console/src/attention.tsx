/** Needs attention: the cases that wait for a person, by who acts. The first thing that is seen. */

import { useState, type JSX } from "react";
import { api, type CaseLine, type Me, type Overview, type ReadableState } from "./api.ts";
import { groupByActor, type AttentionGroup } from "./attention-groups.ts";
import { CaseTable } from "./case-table.tsx";
import { FirstRun } from "./first-run.tsx";
import { History } from "./history.tsx";
import { lineOfCase, useHeld, type HeldLine } from "./held.ts";
import { Link } from "./link.tsx";
import { ChangedBar, HouseNotices, ReadProblem } from "./notices.tsx";
import { usePolled } from "./polled.ts";
import { listPath, typePath } from "./route.ts";
import { RowActs, useSelection, type Selection } from "./selection.tsx";
import { noteServerTime } from "./times.tsx";
import { Told } from "./told.tsx";
import { Views } from "./views.tsx";
import { count } from "./words.tsx";

/** Cases of either kind that the page holds; of more it says so. */
const CASES_MAX = 100;

interface Waiting {
  readonly cases: readonly CaseLine[];
  /** True where there are more than the page holds. */
  readonly hasMore: boolean;
}

/** What waits for people without an open review. */
const waiting: readonly ReadableState[] = ["Waiting for approval", "Needs access"];

async function readWaiting(signal: AbortSignal): Promise<Waiting> {
  const [reviews, approvals] = await Promise.all([
    api.listCases({ review: true, limit: CASES_MAX }, { signal }),
    api.listCases({ reading: waiting, limit: CASES_MAX }, { signal }),
  ]);
  noteServerTime(reviews.now);
  const known = new Set(reviews.cases.map(({ caseId }) => caseId));
  return {
    cases: [...reviews.cases, ...approvals.cases.filter(({ caseId }) => !known.has(caseId))],
    hasMore: reviews.next !== null || approvals.next !== null,
  };
}

interface House {
  readonly overview: Overview;
  /** False where the person may see no case at all. */
  readonly hasAny: boolean;
}

async function readHouse(signal: AbortSignal): Promise<House> {
  const overview = await api.showOverview({}, { signal });
  // Counts are for those who may see every tenant; others may have cases all the same.
  const isCounted = overview.types.some(({ total }) => total > 0);
  const hasAny = isCounted || (await api.listCases({ limit: 1 }, { signal })).cases.length > 0;
  return { overview, hasAny };
}

/** This screen is none of the views. */
const NO_FILTERS = new URLSearchParams();

const linesOf = ({ cases }: Waiting): readonly HeldLine[] => cases.map(lineOfCase);

/** The screen. Its list waits for nothing else: counts take longer the more cases there are. */
export function AttentionScreen({ me }: { readonly me: Me | null }): JSX.Element {
  const { data, error } = usePolled("attention", readWaiting, { hints: { of: "lists" } });
  const house = usePolled("house", readHouse);
  const [isHeld, setHeld] = useState(false);
  const { shown, changed, show, area } = useHeld("attention", data, linesOf, { isHeld });
  const groups = groupByActor(shown?.cases ?? []);
  const selection = useSelection(
    "attention",
    groups.flatMap(({ cases }) => cases),
    me,
  );
  const isChoosing = selection.caseIds.length > 0;
  if (isChoosing !== isHeld) setHeld(isChoosing);
  const isEmpty = shown?.cases.length === 0;
  const isFirstRun = isEmpty && house.data?.hasAny === false;
  const types = house.data?.overview.types ?? [];
  return (
    <>
      <h1 tabIndex={-1}>Needs attention</h1>
      {isFirstRun ? null : <Views query={NO_FILTERS} />}
      <ReadProblem error={error ?? house.error} isOld={shown !== null} />
      {house.data === null ? null : <HouseNotices overview={house.data.overview} />}
      {shown === null || (isEmpty && house.data === null) ? (
        (error ?? house.error) === null ? (
          <p className="soft">Reading…</p>
        ) : null
      ) : isFirstRun ? (
        <FirstRun />
      ) : (
        <>
          <ChangedBar changed={changed} show={show} />
          <div ref={area} className="held">
            <Groups groups={groups} hasMore={shown.hasMore} selection={selection} />
            {types.length === 0 ? null : <TypeCounts types={types} />}
            <RowActs selection={selection} me={me} />
          </div>
        </>
      )}
    </>
  );
}

interface GroupsProps extends Pick<Waiting, "hasMore"> {
  readonly groups: readonly AttentionGroup[];
  readonly selection: Selection;
}

function Groups({ groups, hasMore, selection }: GroupsProps): JSX.Element {
  return (
    <>
      {groups.length === 0 ? (
        <p className="calm">
          <span aria-hidden="true">✓ </span>
          Nobody is waited for. What stands open goes on by itself.
        </p>
      ) : null}
      {hasMore ? (
        <p className="notice">
          Here are the {CASES_MAX} that started last.{" "}
          <Link to={listPath({ review: "true" })}>All with a review</Link>
        </p>
      ) : null}
      {groups.map(({ actsNext, cases: grouped }) => (
        <section key={actsNext} className="group">
          <h2>
            <Told text={actsNext} /> <span className="soft">acts on {count(grouped.length, "case")}</span>
          </h2>
          <CaseTable
            caption={`Cases that wait for ${actsNext}`}
            isCaptionHidden
            cases={grouped}
            hasActor={false}
            selection={selection}
          />
        </section>
      ))}
    </>
  );
}

const columns = [
  ["ready", "ready"],
  ["claimed", "worked on"],
  ["waiting", "waiting"],
  ["paused", "paused"],
  ["in_review", "in review"],
  ["done", "done"],
  ["canceled", "canceled"],
] as const;

function TypeCounts({ types }: Pick<Overview, "types">): JSX.Element {
  return (
    <section className="group">
      <h2>All cases</h2>
      <div className="scroll" tabIndex={0} role="region" aria-label="Cases by type and state">
        <table className="counts">
          <caption className="hidden">Cases by type and stored state</caption>
          <thead>
            <tr>
              <th scope="col">Type</th>
              {columns.map(([, name]) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
              <th scope="col">with review</th>
              <th scope="col">workers</th>
              <th scope="col">where</th>
            </tr>
          </thead>
          <tbody>
            {types.map((type) => (
              <tr key={type.caseType}>
                <th scope="row">
                  <Link to={listPath({ type: type.caseType })}>
                    <Told text={type.caseType} />
                  </Link>
                  {type.isLoaded ? null : <small>definition not loaded here</small>}
                </th>
                {columns.map(([state]) => (
                  <td key={state}>
                    <Count number={type.states[state] ?? 0} to={listPath({ type: type.caseType, state })} />
                  </td>
                ))}
                <td>
                  <Count number={type.withReview} to={listPath({ type: type.caseType, review: "true" })} />
                </td>
                <td>
                  <Count number={type.workers} to="workers" />
                </td>
                <td>
                  <Link to={typePath(type.caseType)}>
                    Map<span className="hidden"> of {type.caseType}</span>
                  </Link>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <History />
    </section>
  );
}

function Count({ number, to }: { readonly number: number; readonly to: string }): JSX.Element {
  if (number === 0) return <span className="soft">0</span>;
  return <Link to={to}>{number.toLocaleString("en")}</Link>;
}
