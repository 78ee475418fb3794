/** What a destination takes: how it stands, what is under way within its limit, who is held back, now and over the last hours. */

import type { JSX } from "react";
import type { Traffic } from "./api.ts";
import { Chart, NumberTable } from "./chart.tsx";
import type { Span } from "./columns.ts";
import { Link } from "./link.tsx";
import { listPath } from "./route.ts";
import { sayLength, When } from "./times.tsx";
import { Sentence } from "./sentence.tsx";
import { Told } from "./told.tsx";
import { count, type Tone } from "./words.tsx";

type One = Traffic["destinations"][number];
type Standing = One["standing"];

const looks: Readonly<
  Record<Standing, { readonly sign: string; readonly tone: Tone; readonly word: string }>
> = {
  up: { sign: "✓", tone: "done", word: "up" },
  failing: { sign: "⚠", tone: "lost", word: "fails now and then" },
  down: { sign: "×", tone: "lost", word: "down" },
  throttled: { sign: "⋯", tone: "wait", word: "asked to slow down" },
  quota: { sign: "⊘", tone: "need", word: "quota used up" },
  denied: { sign: "⊘", tone: "need", word: "access refused" },
};

/** How it stands, in a word and a sentence. */
export function TrafficNow({ traffic }: { readonly traffic: One }): JSX.Element {
  const { sign, tone, word } = looks[traffic.standing];
  return (
    <p>
      <span className={`badge tone-${tone}`}>
        <span aria-hidden="true" className="sign">
          {sign}
        </span>
        {word}
      </span>
      {traffic.standing === "up" && traffic.heldBack === 0 ? null : (
        <>
          {" "}
          <Sentence text={traffic.sentence} />.
        </>
      )}
    </p>
  );
}

/** What it takes now. */
export function TrafficFacts({ traffic }: { readonly traffic: One }): JSX.Element {
  const {
    destination,
    inFlight,
    limit,
    limitMax,
    heldBack,
    nextLookAt,
    notBeforeAt,
    lastFailure,
    workers,
    tried,
  } = traffic;
  return (
    <>
      <div>
        <dt>Under way</dt>
        <dd>
          {limit === null ? `${inFlight}, without a limit` : `${inFlight} of ${limit}`}
          {limitMax === null || limit === limitMax ? null : (
            <span className="soft"> that it takes at a time now; at most {limitMax}</span>
          )}
          <span className="soft">, from {workers === 1 ? "1 worker" : `${workers} workers`}</span>
        </dd>
      </div>
      <div>
        <dt>Held back</dt>
        <dd>
          {heldBack === 0 ? (
            "none"
          ) : (
            <Link to={listPath({ destination, reading: ["Held back", "Needs access"] })}>
              {heldBack.toLocaleString("en")}
            </Link>
          )}
          {nextLookAt === null ? null : (
            <span className="soft">
              , the first is looked at <When at={nextLookAt} />
            </span>
          )}
        </dd>
      </div>
      {notBeforeAt === null ? null : (
        <div>
          <dt>Next check allowed</dt>
          <dd>
            <When at={notBeforeAt} isExact />
          </dd>
        </div>
      )}
      <div>
        <dt>Tried in 12 h</dt>
        <dd>
          <TriedWords tried={tried} />
        </dd>
      </div>
      {lastFailure === null ? null : (
        <div>
          <dt>Last failure</dt>
          <dd>
            <Told text={lastFailure.sentence} /> <When at={lastFailure.at} />
          </dd>
        </div>
      )}
    </>
  );
}

/** Attempts of the engine, and what clients sent beside them. */
function TriedWords({ tried }: Pick<One, "tried">): JSX.Element {
  const { attempts, failed, requests, repeats, unmetered } = tried;
  if (attempts === 0) return <>nothing</>;
  return (
    <>
      {count(attempts, "attempt")}
      {failed === 0 ? ", none failed" : `, ${failed.toLocaleString("en")} failed`}
      <span className="soft">
        ; {count(requests, "request")} seen
        {unmetered === 0 ? "" : `, of ${count(unmetered, "attempt")} not all`}
      </span>
      {repeats === 0 ? null : (
        <div>
          <strong>{count(repeats, "hidden retry", "hidden retries")}</strong>: sent again by the client
          itself, in one attempt
        </div>
      )}
    </>
  );
}

/** What it took. */
export function TrafficHistory({
  traffic,
  span,
}: {
  readonly traffic: One;
  readonly span: Pick<Traffic, "now" | "sinceAt" | "everyMs">;
}): JSX.Element {
  const { destination, history, tried } = traffic;
  const drawn = { sinceAt: span.sinceAt, toAt: span.now, everyMs: span.everyMs };
  const isLimited = history.some(({ limit }) => limit !== null);
  const room = ({ limit, inFlight }: (typeof history)[number]): number =>
    Math.max(0, (limit ?? 0) - inFlight);
  return (
    <>
      <Chart
        title={`Under way at ${destination}`}
        series={[
          { tone: "run", name: "under way" },
          ...(isLimited ? [{ tone: "none", name: "more allowed" } as const] : []),
        ]}
        moments={history.map((point) => ({
          at: point.at,
          parts: isLimited ? [point.inFlight, room(point)] : [point.inFlight],
        }))}
        span={drawn}
      />
      {history.some(({ heldBack }) => heldBack > 0) ? (
        <Chart
          title={`Held back by ${destination}`}
          series={[{ tone: "wait", name: "held back" }]}
          moments={history.map(({ at, heldBack }) => ({ at, parts: [heldBack] }))}
          span={drawn}
        />
      ) : null}
      {tried.attempts === 0 ? null : <TriedHistory destination={destination} tried={tried} drawn={drawn} />}
      <NumberTable
        title={`What ${destination} took`}
        columns={["Under way", "Limit", "Held back", "Stood"]}
        rows={history.map(({ at, inFlight, limit, heldBack, standing }) => ({
          at,
          cells: [
            inFlight.toLocaleString("en"),
            limit === null ? "none" : limit.toLocaleString("en"),
            heldBack.toLocaleString("en"),
            looks[standing].word,
          ],
        }))}
      />
    </>
  );
}

/** What was tried in each stretch. */
function TriedHistory({
  destination,
  tried: { points, repeats },
  drawn,
}: Pick<One, "destination" | "tried"> & { readonly drawn: Span }): JSX.Element {
  const endOf = ({ fromAt }: { readonly fromAt: number }): number =>
    Math.min(drawn.toAt, fromAt + drawn.everyMs);
  // What is told last is what is now: where nothing was tried since, that is nothing.
  const isQuiet = points.every((point) => endOf(point) < drawn.toAt);
  const quiet = isQuiet ? [{ fromAt: drawn.toAt, attempts: 0, failed: 0, repeats: 0 }] : [];
  const hidden = repeats === 0 ? [] : [{ tone: "wait", name: "hidden retries" } as const];
  return (
    <>
      <Chart
        title={`Tried at ${destination} in each ${sayLength(drawn.everyMs)}`}
        series={[{ tone: "run", name: "took effect" }, { tone: "lost", name: "failed" }, ...hidden]}
        moments={[...points, ...quiet].map((point) => ({
          at: endOf(point),
          parts: [point.attempts - point.failed, point.failed, ...(repeats === 0 ? [] : [point.repeats])],
        }))}
        span={drawn}
      />
      <NumberTable
        title={`What was tried at ${destination}`}
        columns={["Attempts", "Failed", "Requests seen", "Hidden retries"]}
        rows={points.map((point) => ({
          at: endOf(point),
          cells: [point.attempts, point.failed, point.requests, point.repeats].map((number) =>
            number.toLocaleString("en"),
          ),
        }))}
      />
    </>
  );
}
