/** Bulk acts: which were made, by whom, and how far each is. */

import type { JSX } from "react";
import { api } from "../api.ts";
import { Link } from "../link.tsx";
import { ReadProblem } from "../notices.tsx";
import { usePolled } from "../polled.ts";
import { bulkPath } from "../route.ts";
import { When } from "../times.tsx";
import { Told } from "../told.tsx";
import { BULK_MOVES } from "./bulk-form.ts";

/** One of them. */
export type BulkAct = Awaited<ReturnType<typeof api.listBulkActs>>["acts"][number];

/** The screen. */
export function BulkScreen(): JSX.Element {
  const { data, error } = usePolled("bulk acts", (signal) => api.listBulkActs({}, { signal }));
  return (
    <>
      <h1 tabIndex={-1}>Bulk acts</h1>
      <ReadProblem error={error} isOld={data !== null} />
      {data === null ? null : data.acts.length === 0 ? (
        <p className="calm">
          None was made yet. <Link to="problems">Problems</Link> and <Link to="cases">lists of cases</Link>{" "}
          offer one move on all of theirs.
        </p>
      ) : (
        <table className="cases is-prose">
          <caption>Bulk acts, newest first</caption>
          <thead>
            <tr>
              <th scope="col">Act</th>
              <th scope="col">How far</th>
              <th scope="col">Who and why</th>
              <th scope="col">Made</th>
            </tr>
          </thead>
          <tbody>
            {data.acts.map((act) => (
              <tr key={act.bulkId} data-row={act.bulkId}>
                <th scope="row">
                  <Link to={bulkPath(act.bulkId)} className="case-link">
                    {nameOfMove(act)} on {act.counts.total.toLocaleString("en")}
                  </Link>
                  <small>{act.bulkId}</small>
                </th>
                <td>
                  <BulkState act={act} /> <Progress act={act} />
                </td>
                <td data-label="By: ">
                  <Told text={act.by} />
                  {act.reason === null ? null : (
                    <small>
                      <Told text={act.reason} />
                    </small>
                  )}
                </td>
                <td data-label="Made: ">
                  <When at={act.createdAt} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}

/** What the move of an act is called. */
export function nameOfMove({ move }: BulkAct): string {
  return BULK_MOVES.find(([name]) => name === move)?.[1] ?? move;
}

const states = {
  trying: ["▶", "run", "one is tried"],
  running: ["▶", "run", "under way"],
  paused: ["‖", "need", "paused"],
  stopped: ["×", "off", "stopped"],
  done: ["✓", "done", "done"],
} as const;

/** Where it stands, and why. */
export function BulkState({ act }: { readonly act: BulkAct }): JSX.Element {
  const [sign, tone, word] = states[act.state];
  return (
    <>
      <span className={`badge tone-${tone}`}>
        <span aria-hidden="true" className="sign">
          {sign}
        </span>
        {word}
      </span>{" "}
      {act.why === null ? null : <Told text={act.why} />}
    </>
  );
}

/** How many of its cases have their result. */
export function Progress({ act }: { readonly act: BulkAct }): JSX.Element {
  const { total, done, refused, open } = act.counts;
  return (
    <span className="progress">
      <progress value={total - open} max={Math.max(1, total)} aria-label="Cases with a result" />
      <small>
        {done} done, {refused} refused, {open} open of {total.toLocaleString("en")}
      </small>
    </span>
  );
}
