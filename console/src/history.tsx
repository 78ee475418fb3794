/** How open cases stood over time, and how old the oldest were: of one case type, or of all. */

import type { JSX } from "react";
import { api, type StateHistory } from "./api.ts";
import { Chart, NumberTable } from "./chart.tsx";
import { Link } from "./link.tsx";
import { ReadProblem } from "./notices.tsx";
import { usePolled } from "./polled.ts";
import { pathWith, typePath } from "./route.ts";
import { sayLength } from "./times.tsx";
import { toneOf, TONE_WORDS, type Tone } from "./words.tsx";

/** It changes with each sample, and its last point with each change. */
const READ_MS = 15_000;
const spans = [
  { hours: 24, name: "24 hours" },
  { hours: 168, name: "7 days" },
] as const;

type Point = StateHistory["points"][number];

/** The span that an address asks for, in hours. */
export function hoursOf(query: URLSearchParams): number {
  return spans.find(({ hours }) => String(hours) === query.get("hours"))?.hours ?? spans[0].hours;
}

/** What it is of. */
export interface HistoryProps {
  /** Left out = of all types that the person may see. */
  readonly caseType?: string;
  readonly hours?: number;
}

/** The pictures. What is not read yet takes no room below what is there. */
export function History({ caseType, hours = spans[0].hours }: HistoryProps): JSX.Element | null {
  const { data, error } = usePolled(
    `history ${caseType ?? ""} ${hours}`,
    (signal) => api.showHistory({ hours, ...(caseType === undefined ? {} : { type: caseType }) }, { signal }),
    { everyMs: READ_MS },
  );
  if (data === null) return error === null ? null : <ReadProblem error={error} isOld={false} />;
  return (
    <section className="card" aria-labelledby="history">
      <h2 id="history">Open cases over time</h2>
      {caseType === undefined ? null : (
        <nav className="pages" aria-label="Span">
          {spans.map(({ hours: of, name }) => (
            <Link key={of} to={pathWith(typePath(caseType), { hours: String(of) })} isCurrent={of === hours}>
              {name}
            </Link>
          ))}
        </nav>
      )}
      <Pictures history={data} />
    </section>
  );
}

function Pictures({ history }: { readonly history: StateHistory }): JSX.Element {
  const { points, sinceAt, now, everyMs, isWhole } = history;
  const span = { sinceAt, toAt: now, everyMs };
  const used = TONE_WORDS.filter(([tone]) => points.some((point) => casesOf(point, tone) > 0));
  if (used.length === 0) return <p className="soft">No case was open.</p>;
  const names = used.map(([, name]) => name);
  return (
    <>
      <Chart
        title="Open cases"
        series={used.map(([tone, name]) => ({ tone, name }))}
        moments={points.map((point) => ({
          at: point.at,
          parts: used.map(([tone]) => casesOf(point, tone)),
        }))}
        span={span}
      />
      <Chart
        title="Age of the oldest that waits for people or is in doubt"
        series={[{ tone: "need", name: "old" }]}
        moments={points.map((point) => ({ at: point.at, parts: [ageOf(point, isForPeople)] }))}
        span={span}
        say={sayLength}
      />
      {isWhole ? null : <p className="soft">At times there were more cases than were counted.</p>}
      <NumberTable
        title="Open cases over time"
        columns={[...names, "oldest for people", "oldest of the others"]}
        rows={points.map((point) => ({
          at: point.at,
          cells: [
            ...used.map(([tone]) => casesOf(point, tone).toLocaleString("en")),
            sayLength(ageOf(point, isForPeople)),
            sayLength(ageOf(point, (tone) => !isForPeople(tone))),
          ],
        }))}
      />
    </>
  );
}

function casesOf({ states }: Point, tone: Tone): number {
  return states.reduce((sum, { reading, cases }) => sum + (toneOf(reading) === tone ? cases : 0), 0);
}

function isForPeople(tone: Tone): boolean {
  return tone === "need" || tone === "lost";
}

function ageOf({ at, states }: Point, isMeant: (tone: Tone) => boolean): number {
  const ages = states.flatMap(({ reading, oldestAt }) => (isMeant(toneOf(reading)) ? [at - oldestAt] : []));
  return Math.max(0, ...ages);
}
