/** Problems: what waits for people, in groups with the same cause, with how they grow, whose they are, and one move on all. */

import { useState, type JSX } from "react";
import { api, type Me } from "./api.ts";
import { Bars } from "./bars.tsx";
import { BulkDialog } from "./bulk/bulk-dialog.tsx";
import { useHeld, type HeldLine } from "./held.ts";
import { Link } from "./link.tsx";
import { MarkDialog } from "./mark-dialog.tsx";
import { ChangedBar, ReadProblem } from "./notices.tsx";
import { usePolled } from "./polled.ts";
import type { Problem, Problems } from "./problem.ts";
import { casePath, listPath } from "./route.ts";
import { noteServerTime, When } from "./times.tsx";
import { Told } from "./told.tsx";
import { count } from "./words.tsx";

/** Every case with a review is looked at for it, so it is not read with each change, in ms. */
const READ_MS = 15_000;

function linesOf({ problems }: Problems): readonly HeldLine[] {
  return problems.map(({ problemId, count: cases, mark, isGrowing, isNew, newBuild }) => ({
    id: problemId,
    says: JSON.stringify([cases, mark, isGrowing, isNew, newBuild]),
  }));
}

/** The screen. */
export function ProblemsScreen({
  query,
  me,
}: {
  readonly query: URLSearchParams;
  readonly me: Me | null;
}): JSX.Element {
  const type = query.get("type") ?? "";
  const { data, error, refresh } = usePolled(
    `problems ${type}`,
    async (signal) => {
      const found = await api.listProblems(type === "" ? {} : { type }, { signal });
      noteServerTime(found.now);
      return found;
    },
    { everyMs: READ_MS },
  );
  const { shown, changed, show, area } = useHeld(`problems ${type}`, data, linesOf);
  const [acting, setActing] = useState<Problem | null>(null);
  const [marking, setMarking] = useState<Problem | null>(null);
  return (
    <>
      <h1 tabIndex={-1}>Problems</h1>
      <ReadProblem error={error} isOld={shown !== null} />
      <ChangedBar changed={changed} show={show} />
      {shown === null ? null : (
        <div ref={area} className="held">
          {shown.problems.length === 0 ? (
            <p className="calm">
              <span aria-hidden="true">✓ </span>
              Nothing waits for people. {type === "" ? null : <Link to="problems">Of all types</Link>}
            </p>
          ) : (
            <ProblemTable shown={shown} me={me} onAct={setActing} onMark={setMarking} />
          )}
        </div>
      )}
      {acting === null || me === null ? null : (
        <BulkDialog
          about={`${count(acting.count, "case")} that stopped at ${acting.step}`}
          filter={{ by: "problem", problemId: acting.problemId }}
          step={acting.step}
          me={me}
          onClose={() => setActing(null)}
        />
      )}
      {marking === null ? null : (
        <MarkDialog
          problem={marking}
          onDone={() => {
            setMarking(null);
            show();
            refresh();
          }}
          onClose={() => setMarking(null)}
        />
      )}
    </>
  );
}

interface TableProps {
  readonly shown: Problems;
  readonly me: Me | null;
  readonly onAct: (problem: Problem) => void;
  readonly onMark: (problem: Problem) => void;
}

function ProblemTable({ shown, ...rest }: TableProps): JSX.Element {
  const { problems, cases, isCapped } = shown;
  return (
    <table className="cases problems is-prose">
      <caption>
        {count(problems.length, "problem")} in {count(cases, "case")}, the largest first
        {isCapped ? "; there is more than is shown here" : ""}
      </caption>
      <thead>
        <tr>
          <th scope="col">Problem</th>
          <th scope="col">Cases</th>
          <th scope="col">Last 24 hours</th>
          <th scope="col">Owner and note</th>
          <th scope="col">Acts</th>
        </tr>
      </thead>
      <tbody>
        {problems.map((problem) => (
          <ProblemRow key={problem.problemId} problem={problem} {...rest} />
        ))}
      </tbody>
    </table>
  );
}

function ProblemRow({
  problem,
  me,
  onAct,
  onMark,
}: Omit<TableProps, "shown"> & { readonly problem: Problem }): JSX.Element {
  const { problemId, caseType, step, kind, destination, cause, came, mark, exampleCaseId } = problem;
  return (
    <tr data-row={problemId}>
      <th scope="row">
        <span className="badge tone-need">{kind}</span> <Told text={cause} />
        <small>
          <Told text={caseType} /> · <Told text={step} />
          {destination === null ? null : (
            <>
              {" "}
              · <Told text={destination} />
            </>
          )}
        </small>
        <small>
          Such as{" "}
          <Link to={casePath(exampleCaseId)} className="case-link">
            {exampleCaseId}
          </Link>
          : <Told text={problem.example} />
        </small>
        {problem.newBuild === null ? null : (
          <small>
            Build <Told text={problem.newBuild.build} /> runs since <When at={problem.newBuild.sinceAt} />,
            and no case stopped so under it: resume them, one is tried first.
          </small>
        )}
      </th>
      <td data-label="Cases: ">
        <Link to={listPath({ type: caseType, review: "true", destination })}>
          {problem.count.toLocaleString("en")}
        </Link>
        <small>
          since <When at={problem.firstSinceAt} />
        </small>
        <Trend problem={problem} />
      </td>
      <td>
        <Bars values={problem.cameByHour} label={`Came in each of the last 24 hours, ${came.day} in all`} />
        <small>
          {came.hour} in the last hour, {came.day} in 24 hours, {came.week} in 7 days; last{" "}
          <When at={problem.lastSinceAt} />
        </small>
      </td>
      <td data-label="Owner: ">
        <Told text={mark?.owner ?? problem.owners[0] ?? "nobody"} />
        {mark === null || mark.note === null ? null : (
          <small>
            <Told text={mark.note} />
          </small>
        )}
        {mark === null ? null : (
          <small>
            said by <Told text={mark.by} /> <When at={mark.at} />
          </small>
        )}
      </td>
      <td>
        <div className="buttons">
          {me?.verbs.includes("bulk") === true ? (
            <button type="button" onClick={() => onAct(problem)}>
              Act on all<span className="hidden">: {cause}</span>
            </button>
          ) : null}
          {me?.verbs.includes("assign") === true ? (
            <button type="button" className="quiet" onClick={() => onMark(problem)}>
              Owner and note<span className="hidden">: {cause}</span>
            </button>
          ) : null}
        </div>
      </td>
    </tr>
  );
}

function Trend({ problem }: { readonly problem: Problem }): JSX.Element {
  return (
    <>
      {problem.isNew ? <span className="badge tone-wait">new</span> : null}{" "}
      {problem.isGrowing ? (
        <span className="badge tone-lost">
          <span aria-hidden="true" className="sign">
            ▲
          </span>
          growing
        </span>
      ) : null}
    </>
  );
}
