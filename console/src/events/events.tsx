/** Incoming events: what arrived, whether its work is finished, and what was refused. */

import { useRef, type JSX } from "react";
import { api } from "../api.ts";
import { useHeld, type HeldLine } from "../held.ts";
import { Link } from "../link.tsx";
import { ChangedBar, ReadProblem } from "../notices.tsx";
import { usePolled } from "../polled.ts";
import { eventPath, goTo, pathWith } from "../route.ts";
import { When } from "../times.tsx";
import { Told } from "../told.tsx";
import { count } from "../words.tsx";
import { Refusals, type Refusal } from "./refusals.tsx";
import { STANDINGS, WORK_STATES, WorkLine, type Work } from "./work-words.tsx";

const PAGE_SIZE = 50;
const REFUSALS_MAX = 20;
/** What is shown where nothing is asked for: received, and its work not finished. */
const UNFINISHED: readonly Work["state"][] = ["ready", "claimed", "waiting", "in_review"];
const FILTERS = ["source", "type", "standing", "work", "tenant"] as const;

type Page = Awaited<ReturnType<typeof api.listEvents>>;
type Counts = Awaited<ReturnType<typeof api.countWork>>["counts"];
type Filters = NonNullable<Parameters<typeof api.listEvents>[0]>;

interface Read {
  readonly page: Page;
  readonly counts: Counts;
  readonly refusals: readonly Refusal[];
}

/** The address as the API takes it, which judges it. `work=any` is whatever its work, also none. */
function filtersOf(query: URLSearchParams): Filters {
  const entries = FILTERS.flatMap((name) => {
    const value = query.get(name) ?? "";
    return value === "" || value === "any" ? [] : [[name, value]];
  });
  const isBare = !FILTERS.some((name) => (query.get(name) ?? "") !== "");
  const named: unknown = isBare ? { work: UNFINISHED } : Object.fromEntries(entries);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- texts of an address; the server refuses what is none
  return named as Filters;
}

function linesOf({ page }: Read): readonly HeldLine[] {
  return page.events.map(({ event, work }) => ({
    id: event.eventId,
    says: JSON.stringify([event.sightings, work.map(({ state, sentence }) => [state, sentence])]),
  }));
}

/** The screen. */
export function EventsScreen({ query }: { readonly query: URLSearchParams }): JSX.Element {
  const key = query.toString();
  const cursor = query.get("cursor");
  const { data, error } = usePolled(`events ${key}`, async (signal): Promise<Read> => {
    const paging = cursor === null ? { limit: PAGE_SIZE } : { limit: PAGE_SIZE, cursor };
    const [page, { counts }, { refusals }] = await Promise.all([
      api.listEvents({ ...filtersOf(query), ...paging }, { signal }),
      api.countWork({}, { signal }),
      api.listRefusals({ limit: REFUSALS_MAX }, { signal }),
    ]);
    return { page, counts, refusals };
  });
  const { shown, changed, show, area } = useHeld(`events ${key}`, data, linesOf);
  const filters = Object.fromEntries(FILTERS.map((name) => [name, query.get(name)]));
  return (
    <>
      <h1 tabIndex={-1}>Incoming events</h1>
      <FilterForm query={query} sources={(data?.counts ?? []).map(({ source }) => source)} />
      <ReadProblem error={error} isOld={shown !== null} />
      <ChangedBar changed={changed} show={show} />
      {shown === null ? null : (
        <>
          <WorkCounts counts={shown.counts} />
          <div ref={area} className="held">
            {shown.page.events.length === 0 ? (
              <p className="calm">
                {key === "" ? "No work is open. " : "No event matches. "}
                <Link to="events?work=any">All events</Link>
              </p>
            ) : (
              <EventTable page={shown.page} isUnfinished={key === ""} />
            )}
            <nav className="pages" aria-label="Pages">
              {cursor === null ? null : <Link to={pathWith("events", filters)}>First page</Link>}
              {shown.page.next === null ? null : (
                <Link to={pathWith("events", { ...filters, cursor: shown.page.next })}>Next page</Link>
              )}
            </nav>
          </div>
          <Refusals refusals={shown.refusals} />
        </>
      )}
    </>
  );
}

function FilterForm({
  query,
  sources,
}: {
  readonly query: URLSearchParams;
  readonly sources: readonly string[];
}): JSX.Element {
  const form = useRef<HTMLFormElement>(null);
  const submit = (event: { preventDefault: () => void }): void => {
    event.preventDefault();
    if (form.current === null) return;
    const values = [...new FormData(form.current)].map(([name, value]): [string, string] => [
      name,
      typeof value === "string" ? value.trim() : "",
    ]);
    goTo(pathWith("events", Object.fromEntries(values)));
  };
  const choices = (
    name: string,
    label: string,
    options: readonly (readonly [string, string])[],
  ): JSX.Element => (
    <label>
      {label}
      <select name={name} defaultValue={query.get(name) ?? ""} key={options.join()}>
        <option value="">{name === "work" ? "not finished" : "any"}</option>
        {options.map(([value, word]) => (
          <option key={value} value={value}>
            {word}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <form ref={form} key={query.toString()} onSubmit={submit} role="search" className="filters">
      {choices("work", "Work", [
        ["any", "any, also none"],
        ...Object.entries(WORK_STATES).map(([state, [word]]) => [state, word] as const),
      ])}
      {choices("standing", "Arrival", Object.entries(STANDINGS))}
      {choices(
        "source",
        "Source",
        [...new Set([...sources, query.get("source") ?? ""])]
          .filter((one) => one !== "")
          .map((one) => [one, one]),
      )}
      <label>
        Type
        <input name="type" defaultValue={query.get("type") ?? ""} maxLength={200} data-search="" />
      </label>
      <button type="submit">Show</button>
    </form>
  );
}

function WorkCounts({ counts }: { readonly counts: Counts }): JSX.Element | null {
  const open = counts.filter(({ state }) => state !== "done" && state !== "ignored");
  if (open.length === 0) return null;
  return (
    <ul className="notices" aria-label="Open work">
      {open.map(({ tenant, source, state, count: number, oldestAt }) => (
        <li key={`${tenant} ${source} ${state}`}>
          <span className={`badge tone-${WORK_STATES[state][1]}`}>{WORK_STATES[state][0]}</span>{" "}
          <Link to={pathWith("events", { source, work: state })}>{count(number, "piece")} of work</Link> of{" "}
          <Told text={source} />, the oldest since <When at={oldestAt} />
        </li>
      ))}
    </ul>
  );
}

function EventTable({
  page,
  isUnfinished,
}: {
  readonly page: Page;
  readonly isUnfinished: boolean;
}): JSX.Element {
  return (
    <table className="cases is-prose">
      <caption>{isUnfinished ? "Received, and the work not finished; " : ""}the one seen last first</caption>
      <thead>
        <tr>
          <th scope="col">Event</th>
          <th scope="col">Its work</th>
          <th scope="col">Seen</th>
        </tr>
      </thead>
      <tbody>
        {page.events.map(({ event, work }) => (
          <tr key={event.eventId} data-row={event.eventId}>
            <th scope="row">
              <Link to={eventPath(event.eventId)} className="case-link">
                <Told text={event.eventType} />
              </Link>
              <small>
                <Told text={event.source} />
                {event.subject === null ? null : (
                  <>
                    {" "}
                    · <Told text={event.subject} />
                  </>
                )}
              </small>
            </th>
            <td>
              {event.standing === "routed" ? null : (
                <span className={`badge tone-${event.standing === "unreadable" ? "lost" : "off"}`}>
                  {STANDINGS[event.standing]}
                </span>
              )}
              {work.map((one) => (
                <div key={one.consumer}>
                  <WorkLine work={one} />
                </div>
              ))}
            </td>
            <td data-label="Seen: ">
              <When at={event.firstSeenAt} />
              {event.sightings === 1 ? null : <small>{event.sightings} times</small>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
