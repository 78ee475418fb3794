/** What a destination takes: how it stands, what is under way within its limit, who is held back, now and over the last hours. */

import type { JSX } from "react";
import type { Traffic } from "./api.ts";
import { Chart, NumberTable } from "./chart.tsx";
import { Link } from "./link.tsx";
import { listPath } from "./route.ts";
import { When } from "./times.tsx";
import { Told } from "./told.tsx";
import type { Tone } from "./words.tsx";

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
          <Told text={traffic.sentence} />.
        </>
      )}
    </p>
  );
}

/** What it takes now. */
export function TrafficFacts({ traffic }: { readonly traffic: One }): JSX.Element {
  const { destination, inFlight, limit, limitMax, heldBack, nextLookAt, notBeforeAt, lastFailure, workers } =
    traffic;
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

/** What it took. */
export function TrafficHistory({
  traffic,
  span,
}: {
  readonly traffic: One;
  readonly span: Pick<Traffic, "now" | "sinceAt" | "everyMs">;
}): JSX.Element {
  const { destination, history } = traffic;
  const drawn = { sinceAt: span.sinceAt, toAt: span.now, everyMs: span.everyMs };
  const isLimited = history.some(({ limit }) => limit !== null);
  const room = ({ limit, inFlight }: (typeof history)[number]): number =>
    Math.max(0, (limit ?? 0) - inFlight);
  return (
    <>
      <Chart
        title="Under way"
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
          title="Held back"
          series={[{ tone: "wait", name: "held back" }]}
          moments={history.map(({ at, heldBack }) => ({ at, parts: [heldBack] }))}
          span={drawn}
        />
      ) : null}
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
