/** Destinations and access: the outside systems, what makes a repeat safe there, what waits, and "access restored". */

import { useState, type JSX } from "react";
import { api, type Me, type Traffic } from "./api.ts";
import { Link } from "./link.tsx";
import { ReadProblem } from "./notices.tsx";
import { usePolled } from "./polled.ts";
import { RestoreDialog } from "./restore.tsx";
import { listPath } from "./route.ts";
import { useSome } from "./some.tsx";
import { noteServerTime, sayLength } from "./times.tsx";
import { TrafficFacts, TrafficHistory, TrafficNow } from "./traffic.tsx";
import { Told } from "./told.tsx";
import { count } from "./words.tsx";

type Destinations = Awaited<ReturnType<typeof api.listDestinations>>["destinations"];
type Destination = Destinations[number];
type DestinationTraffic = Traffic["destinations"][number];

interface Standing {
  readonly view: Destination;
  /** Cases that stand at one of its steps, ended ones apart. */
  readonly waiting: string;
  readonly denied: string;
  /** What it takes and took; null for who may not see every case that is sent there. */
  readonly traffic: DestinationTraffic | null;
}

interface Read {
  readonly standings: readonly Standing[];
  readonly span: Pick<Traffic, "now" | "sinceAt" | "everyMs">;
}

async function readDestinations(signal: AbortSignal): Promise<Read> {
  const [{ destinations }, traffic] = await Promise.all([
    api.listDestinations({}, { signal }),
    api.showTraffic({}, { signal }),
  ]);
  noteServerTime(traffic.now);
  const standings = await Promise.all(
    destinations.map(async (view): Promise<Standing> => {
      const { name: destination, credentialId } = view.destination;
      const [waiting, denied] = await Promise.all([
        api.countCases({ destination }, { signal }),
        api.countCases({ destination, reading: ["Needs access"] }, { signal }),
      ]);
      const own = traffic.destinations.find(
        (one) => one.destination === destination && one.credentialId === credentialId,
      );
      return { view, waiting: say(waiting), denied: say(denied), traffic: own ?? null };
    }),
  );
  return { standings, span: traffic };
}

function say({ count: number, isCapped }: Awaited<ReturnType<typeof api.countCases>>): string {
  return isCapped ? `${number.toLocaleString("en")} or more` : number.toLocaleString("en");
}

/** The screen. */
export function DestinationsScreen({ me }: { readonly me: Me | null }): JSX.Element {
  const { data, error, refresh } = usePolled("destinations", readDestinations);
  const [picked, setPicked] = useState<Destination | null>(null);
  const mayRestore = me === null || me.verbs.includes("restoreAccess");
  return (
    <>
      <h1 tabIndex={-1}>Destinations and access</h1>
      <ReadProblem error={error} isOld={data !== null} />
      {data === null ? null : data.standings.length === 0 ? (
        <p className="calm">No loaded case type sends anywhere.</p>
      ) : (
        <ul className="destinations">
          {data.standings.map((standing) => {
            const { name, credentialId } = standing.view.destination;
            return (
              <li key={`${name} ${credentialId}`} className="card">
                <DestinationCard standing={standing} span={data.span} />
                {mayRestore && mayBeRefused(standing) ? (
                  <button
                    type="button"
                    className={standing.denied === "0" ? undefined : "primary"}
                    onClick={() => setPicked(standing.view)}
                  >
                    Access restored<span className="hidden">: {name}</span>
                  </button>
                ) : null}
              </li>
            );
          })}
        </ul>
      )}
      {picked === null ? null : (
        <RestoreDialog
          destination={picked.destination.name}
          credentialId={picked.destination.credentialId}
          onDone={refresh}
          onClose={() => setPicked(null)}
        />
      )}
    </>
  );
}

/** Our own database asks no access of us, so there is none to be restored, whatever waits there already apart. */
function mayBeRefused({ view, denied }: Standing): boolean {
  return view.destination.repeatSafety.by !== "transaction" || denied !== "0";
}

const safety: Readonly<Record<Destination["destination"]["repeatSafety"]["by"], string>> = {
  key: "It takes each idempotency key once, so the same request may be sent again.",
  unique: "It holds one thing of a name, so a repeat is answered “exists”.",
  "if-match": "It compares versions, so a write that was overtaken is refused.",
  fence: "It compares fencing tokens, so a late worker is refused.",
  transaction: "It is our own database: what is not confirmed is rolled back.",
  lookup:
    "It cannot tell a repeat, but can be asked whether it happened. It is never sent to again on one “not found”.",
  none: "It can tell no repeat and cannot be asked: after an unknown outcome a person decides.",
};

function DestinationCard({
  standing,
  span,
}: {
  readonly standing: Standing;
  readonly span: Read["span"];
}): JSX.Element {
  const { destination, usedBy } = standing.view;
  const { traffic } = standing;
  const users = useSome(usedBy, { most: 6, name: "step" });
  const { name, credentialId, owners, repeatSafety, retry } = destination;
  return (
    <>
      <h2>
        <Told text={name} />
      </h2>
      {traffic === null ? null : <TrafficNow traffic={traffic} />}
      <p className="soft">{safety[repeatSafety.by]}</p>
      <dl className="facts">
        {traffic === null ? null : <TrafficFacts traffic={traffic} />}
        <div>
          <dt>Stand at it</dt>
          <dd>
            <Link to={listPath({ destination: name })}>{standing.waiting}</Link>
          </dd>
        </div>
        <div>
          <dt>Need access</dt>
          <dd>
            {standing.denied === "0" ? (
              "none"
            ) : (
              <Link to={listPath({ destination: name, reading: "Needs access" })}>
                <strong>{standing.denied}</strong>
              </Link>
            )}
          </dd>
        </div>
        <div>
          <dt>Credential</dt>
          <dd>
            <code>
              <Told text={credentialId} />
            </code>
            {destination.canRefresh ? ", had anew by itself when it runs out" : ""}
          </dd>
        </div>
        <div>
          <dt>Owners</dt>
          <dd>
            access <Told text={owners.access ?? "the case type's"} />, input{" "}
            <Told text={owners.input ?? "the case type's"} />, outage{" "}
            <Told text={owners.outage ?? "the case type's"} />
          </dd>
        </div>
        <div>
          <dt>Retries</dt>
          <dd>
            {count(retry.maxAttempts, "attempt")}, {retry.maxRequests} requests at most, given up after{" "}
            {sayLength(retry.giveUpAfterMs)}
          </dd>
        </div>
        <div>
          <dt>Used by</dt>
          <dd>
            {users.shown.map(({ caseType, step }) => (
              <div key={`${caseType} ${step}`}>
                <Told text={caseType} /> · <Told text={step} />
              </div>
            ))}
            {users.more}
          </dd>
        </div>
      </dl>
      {traffic === null ? null : <TrafficHistory traffic={traffic} span={span} />}
    </>
  );
}
