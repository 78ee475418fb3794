/** What to do when there is nothing yet. */

import type { JSX } from "react";
import { api } from "./api.ts";
import { usePolled } from "./polled.ts";
import { madeSeen } from "./told.tsx";

/** Tells the first steps; which of them are done already is seen. */
export function FirstRun(): JSX.Element {
  const { data } = usePolled("first-run", async (signal) => {
    const [{ caseTypes }, overview] = await Promise.all([
      api.listCaseTypes({}, { signal }),
      api.showOverview({}, { signal }),
    ]);
    return {
      caseTypes,
      hasWorker: overview.holders.some(({ kind, isAlive }) => kind === "worker" && isAlive),
    };
  });
  const caseTypes = data?.caseTypes ?? [];
  const hasWorker = data?.hasWorker ?? false;
  const type = caseTypes[0]?.name ?? "TYPE";
  return (
    <section className="first-run">
      <h2>No case was started yet</h2>
      <p>Three things, and the first case stands here:</p>
      <ol>
        <li className={caseTypes.length > 0 ? "is-done" : undefined}>
          <strong>A case type.</strong>{" "}
          {caseTypes.length > 0
            ? `Loaded: ${caseTypes.map(({ name, version }) => `${madeSeen(name)} (version ${version})`).join(", ")}.`
            : "None is loaded by this server. Name yours under cases in foothold.config.mjs and start it again."}
        </li>
        <li className={hasWorker ? "is-done" : undefined}>
          <strong>A worker.</strong>{" "}
          {hasWorker
            ? "At least one is alive."
            : "None is alive. foothold dev brings one; foothold worker runs one alone."}
        </li>
        <li>
          <strong>A case.</strong> From the command line:
          <pre className="value" tabIndex={0} role="region" aria-label="Command">
            {`npx foothold cases start ${madeSeen(type)} --input '{ … }'`}
          </pre>
          or from a program with <code>startCase</code>, or by an event of the inbox.
        </li>
      </ol>
    </section>
  );
}
