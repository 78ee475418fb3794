/** A case type: its steps as a path with how many open cases stand at each and how, and how that was over time. */

import type { JSX } from "react";
import { api, type CaseMap, type CaseOutline } from "./api.ts";
import { lanesOf } from "./case/lanes.ts";
import { sayKind } from "./case/path-steps.ts";
import { Rail, railRoom } from "./case/rail.tsx";
import { History, hoursOf } from "./history.tsx";
import { Link } from "./link.tsx";
import { ReadProblem } from "./notices.tsx";
import { usePolled } from "./polled.ts";
import { listPath } from "./route.ts";
import { noteServerTime, When } from "./times.tsx";
import { Told } from "./told.tsx";
import { count, signOf, toneOf } from "./words.tsx";

/** What stands for "at no step" in the filter of a list. */
const NO_STEP = "-";

type Counts = CaseMap["betweenSteps"];

interface Read {
  readonly map: CaseMap;
  /** Null where the definition is not loaded. */
  readonly outline: CaseOutline | null;
}

/** The page. */
export function CaseTypePage({
  caseType,
  query,
}: {
  readonly caseType: string;
  readonly query: URLSearchParams;
}): JSX.Element {
  const { data, error } = usePolled(
    `type ${caseType}`,
    async (signal): Promise<Read> => {
      const map = await api.showCaseMap({ caseType }, { signal });
      noteServerTime(map.now);
      return { map, outline: map.isLoaded ? await api.showCaseType({ caseType }, { signal }) : null };
    },
    { hints: { of: "lists" } },
  );
  return (
    <>
      <p className="crumbs">
        <Link to={listPath({ type: caseType })}>All cases of this type</Link>
      </p>
      <h1 tabIndex={-1}>
        <Told text={caseType} />
        {data?.outline === null || data === null ? null : (
          <span className="soft"> version {data.outline.version}</span>
        )}
      </h1>
      <ReadProblem error={error} isOld={data !== null} />
      {data === null ? null : <StepMap {...data} />}
      <History caseType={caseType} hours={hoursOf(query)} />
    </>
  );
}

function StepMap({ map, outline }: Read): JSX.Element {
  const { steps, betweenSteps, ended, isWhole, isLoaded, caseType } = map;
  const rows = lanesOf(steps);
  const { width, lanePx } = railRoom(rows);
  const kinds = new Map(outline?.steps.map((step) => [step.name, sayKind(step)]));
  const nothing = new Set<string>();
  return (
    <section className="card" aria-labelledby="map">
      <h2 id="map">Where its cases stand</h2>
      {isLoaded ? null : (
        <p className="notice">Its definition is not loaded here: the steps stand in no order.</p>
      )}
      {isWhole ? null : (
        <p className="notice">There are more cases than are counted here: at least so many stand there.</p>
      )}
      <ol className="path map">
        {steps.map(({ name, counts }, index) => {
          const row = rows[index];
          const [most] = counts;
          return (
            <li
              key={name}
              className={`path-step ${most === undefined ? "" : `tone-${toneOf(most.reading)}`}`}
            >
              <div className="rail-box" style={{ width }}>
                {row === undefined ? null : (
                  <Rail
                    row={row}
                    sign={most === undefined ? "" : signOf(most.reading)}
                    lanePx={lanePx}
                    standing={nothing}
                  />
                )}
              </div>
              <div className="path-text">
                <div className="path-head">
                  <h3>
                    <Told text={name} />
                  </h3>
                  <span className="soft">
                    <Told text={kinds.get(name) ?? ""} />
                  </span>
                </div>
                <StepCounts caseType={caseType} step={name} counts={counts} />
              </div>
            </li>
          );
        })}
      </ol>
      <dl className="facts">
        <div>
          <dt>Between steps</dt>
          <dd>
            <StepCounts caseType={caseType} step={NO_STEP} counts={betweenSteps} />
          </dd>
        </div>
        <div>
          <dt>Ended</dt>
          <dd>
            <Link to={listPath({ type: caseType, state: "done" })}>
              {ended.done.toLocaleString("en")} done
            </Link>
            {", "}
            <Link to={listPath({ type: caseType, state: "canceled" })}>
              {ended.canceled.toLocaleString("en")} canceled
            </Link>
          </dd>
        </div>
      </dl>
    </section>
  );
}

function StepCounts({
  caseType,
  step,
  counts,
}: {
  readonly caseType: string;
  readonly step: string;
  readonly counts: Counts;
}): JSX.Element {
  if (counts.length === 0) return <p className="soft">none</p>;
  const all = counts.reduce((sum, { cases }) => sum + cases, 0);
  return (
    <ul
      className="step-counts"
      aria-label={step === NO_STEP ? "At no step" : `At ${step}: ${count(all, "case")}`}
    >
      {counts.map(({ reading, cases, oldestAt }) => (
        <li key={reading}>
          <Link to={listPath({ type: caseType, step, reading })} className={`badge tone-${toneOf(reading)}`}>
            <strong>{cases.toLocaleString("en")}</strong>
            <span aria-hidden="true" className="sign">
              {signOf(reading)}
            </span>
            {reading}
          </Link>{" "}
          <small>
            {cases === 1 ? "" : "oldest "}
            <When at={oldestAt} />
          </small>
        </li>
      ))}
    </ul>
  );
}
