/** Workers and claims: who is alive, what each takes and holds, and until when; and what starts cases by the clock. */

import type { JSX } from "react";
import { api } from "./api.ts";
import { Link } from "./link.tsx";
import { ReadProblem } from "./notices.tsx";
import { usePolled } from "./polled.ts";
import { casePath } from "./route.ts";
import { Schedules } from "./schedules/schedules.tsx";
import { By, noteServerTime, When } from "./times.tsx";
import { Sentence } from "./sentence.tsx";
import { Told } from "./told.tsx";

const CLAIMS_MAX = 200;

type Worker = Awaited<ReturnType<typeof api.listWorkers>>["workers"][number];
type Claim = Awaited<ReturnType<typeof api.listClaims>>["claims"][number];

/** The screen. */
export function WorkersScreen(): JSX.Element {
  const { data, error } = usePolled("workers", async (signal) => {
    const [workers, claims] = await Promise.all([
      api.listWorkers({}, { signal }),
      api.listClaims({ limit: CLAIMS_MAX }, { signal }),
    ]);
    noteServerTime(workers.now);
    return { workers: workers.workers, claims: claims.claims };
  });
  return (
    <>
      <h1 tabIndex={-1}>Workers and claims</h1>
      <ReadProblem error={error} isOld={data !== null} />
      {data === null ? null : (
        <>
          <section className="group">
            <h2>Workers and open pages</h2>
            {data.workers.length === 0 ? (
              <p className="calm">
                No worker is known. <code>foothold worker</code> starts one.
              </p>
            ) : (
              <WorkerTable workers={data.workers} />
            )}
          </section>
          <section className="group">
            <h2>Claims</h2>
            {data.claims.length === 0 ? (
              <p className="calm">Nobody holds a case just now.</p>
            ) : (
              <ClaimTable claims={data.claims} />
            )}
          </section>
        </>
      )}
      <Schedules />
    </>
  );
}

function WorkerTable({ workers }: { readonly workers: readonly Worker[] }): JSX.Element {
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label="Workers and open pages">
      <table className="plain">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Sign of life</th>
            <th scope="col">Holds</th>
            <th scope="col">Takes</th>
            <th scope="col">Build</th>
            <th scope="col">Since</th>
          </tr>
        </thead>
        <tbody>
          {workers.map((worker) => (
            <tr key={worker.holderId}>
              <th scope="row">
                <Told text={worker.name} />
                <small>
                  {worker.kind === "page" ? "an open page" : "a worker"} on <Told text={worker.host} />
                </small>
              </th>
              <td>
                <span className={`badge tone-${worker.isAlive ? "done" : "lost"}`}>
                  <span aria-hidden="true" className="sign">
                    {worker.isAlive ? "●" : "⚠"}
                  </span>
                  {worker.isAlive ? "alive" : "silent"}
                </span>{" "}
                <When at={worker.beatAt} />
              </td>
              <td>{worker.claims}</td>
              <td>
                {worker.caseTypes.map(({ name, version }) => (
                  <div key={name}>
                    <Told text={name} /> <span className="soft">version {version}</span>
                  </div>
                ))}
              </td>
              <td>
                <Told text={worker.build} />
              </td>
              <td>
                <When at={worker.startedAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function ClaimTable({ claims }: { readonly claims: readonly Claim[] }): JSX.Element {
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label="Claims">
      <table className="plain">
        <thead>
          <tr>
            <th scope="col">Case</th>
            <th scope="col">Held</th>
            <th scope="col">Since</th>
            <th scope="col">Until</th>
          </tr>
        </thead>
        <tbody>
          {claims.map(({ caseId, holding }) => (
            <tr key={caseId} data-row={caseId}>
              <th scope="row">
                <Link to={casePath(caseId)} className="case-link">
                  {caseId}
                </Link>
              </th>
              <td>
                <Sentence text={holding.sentence} />
              </td>
              <td>
                <When at={holding.claimedAt} />
              </td>
              <td>
                <By at={holding.untilAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
