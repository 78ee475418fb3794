/** What starts cases by the clock: how each schedule stands, when it starts the next, and what it started last. */

import type { JSX } from "react";
import { api, type Schedule } from "../api.ts";
import { Link } from "../link.tsx";
import { ReadProblem } from "../notices.tsx";
import { usePolled } from "../polled.ts";
import { casePath, schedulePath } from "../route.ts";
import { Sentence } from "../sentence.tsx";
import { When } from "../times.tsx";
import { Told } from "../told.tsx";
import type { Tone } from "../words.tsx";

/** The part of a screen; nothing where there is no schedule. */
export function Schedules(): JSX.Element | null {
  const { data, error } = usePolled("schedules", (signal) => api.listSchedules({}, { signal }));
  if (data === null && error === null) return null;
  return (
    <section className="group">
      <h2>Schedules</h2>
      <ReadProblem error={error} isOld={data !== null} />
      {data === null ? null : data.schedules.length === 0 ? (
        <p className="calm">Nothing starts cases by the clock.</p>
      ) : (
        <ScheduleTable schedules={data.schedules} />
      )}
    </section>
  );
}

function ScheduleTable({ schedules }: { readonly schedules: readonly Schedule[] }): JSX.Element {
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label="Schedules">
      <table className="plain">
        <thead>
          <tr>
            <th scope="col">Schedule</th>
            <th scope="col">Stands</th>
            <th scope="col">Next slot</th>
            <th scope="col">Last case</th>
            <th scope="col">Cron</th>
          </tr>
        </thead>
        <tbody>
          {schedules.map((schedule) => (
            <tr key={schedule.name}>
              <th scope="row">
                <Link to={schedulePath(schedule.name)}>
                  <Told text={schedule.name} />
                </Link>
                <small>
                  starts <Told text={schedule.caseType} />
                </small>
              </th>
              <td>
                <StandingBadge schedule={schedule} />
                <small>
                  <Sentence text={schedule.sentence} />
                </small>
              </td>
              <td>{schedule.nextAt === null ? "none" : <When at={schedule.nextAt} />}</td>
              <td>
                <LastCase schedule={schedule} />
              </td>
              <td>
                <code>{schedule.cron}</code>
                <small>{schedule.timeZone}</small>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The case that it started last. */
export function LastCase({ schedule }: { readonly schedule: Schedule }): JSX.Element {
  const { lastCaseId, lastSlotAt } = schedule;
  if (lastCaseId === null) return <>none</>;
  return (
    <>
      <Link to={casePath(lastCaseId)} className="case-link">
        {lastCaseId}
      </Link>
      {lastSlotAt === null ? null : (
        <small>
          for <When at={lastSlotAt} />
        </small>
      )}
    </>
  );
}

const looks: Readonly<Record<Schedule["standing"], { readonly sign: string; readonly tone: Tone }>> = {
  running: { sign: "▶", tone: "run" },
  paused: { sign: "‖", tone: "off" },
  stopped: { sign: "⚠", tone: "lost" },
  removed: { sign: "×", tone: "off" },
};

/** How it stands, by a word and a sign; what is overdue says so first. */
export function StandingBadge({ schedule }: { readonly schedule: Schedule }): JSX.Element {
  const { sign, tone } = looks[schedule.standing];
  const isOverdue = schedule.overdueSinceAt !== null;
  return (
    <span className={`badge tone-${isOverdue ? "lost" : tone}`}>
      <span aria-hidden="true" className="sign">
        {isOverdue ? "⚠" : sign}
      </span>
      {isOverdue ? "overdue" : schedule.standing}
    </span>
  );
}
