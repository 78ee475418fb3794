/** Activity: what people did and were refused, and what became of cases, newest first. */

import { useRef, type JSX } from "react";
import { api, asRefusal, type Refusal } from "./api.ts";
import { useHeld, type HeldLine } from "./held.ts";
import { Link } from "./link.tsx";
import { ChangedBar, ReadProblem } from "./notices.tsx";
import { usePolled } from "./polled.ts";
import { casePath, goTo, pathWith } from "./route.ts";
import { When } from "./times.tsx";
import { Sentence } from "./sentence.tsx";
import { Told, Value } from "./told.tsx";

const PAGE_SIZE = 50;
const FILTERS = ["who", "act", "outcome", "caseId", "about"] as const;

type Page = Awaited<ReturnType<typeof api.listAudit>>;
type Line = Page["lines"][number];
type Filters = NonNullable<Parameters<typeof api.listAudit>[0]>;
type Milestone = Awaited<ReturnType<typeof api.listMilestones>>["milestones"][number];

/** What is shown: both by default, or one of them alone. */
const shows = ["", "acts", "cases"] as const;
type Show = (typeof shows)[number];

/** An act of a person, or what became of a case. */
type Happened =
  | { readonly what: "act"; readonly at: number; readonly id: string; readonly line: Line }
  | { readonly what: "case"; readonly at: number; readonly id: string; readonly milestone: Milestone };

/** A page of both, newest first. */
interface Read {
  readonly happened: readonly Happened[];
  /** Where the next page begins, epoch ms; null = this is the last one. */
  readonly until: number | null;
  /** Why acts are not among them for this person; null = they are, or nobody asked for them. */
  readonly refusal: Refusal | null;
}

function filtersOf(query: URLSearchParams): Filters {
  const entries = FILTERS.flatMap((name) => {
    const value = query.get(name) ?? "";
    return value === "" ? [] : [[name, value]];
  });
  const named: unknown = Object.fromEntries(entries);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- texts of an address; the server refuses what is none
  return named as Filters;
}

/** Filters are of acts; a case's own history is on its page. */
function showOf(query: URLSearchParams): Show {
  if (FILTERS.some((name) => (query.get(name) ?? "") !== "")) return "acts";
  return shows.find((one) => one === query.get("show")) ?? "";
}

async function readActivity(query: URLSearchParams, signal: AbortSignal): Promise<Read> {
  const show = showOf(query);
  const until = query.get("until");
  const bounds = { limit: PAGE_SIZE, ...(until === null ? {} : { until: Number(until) }) };
  const [acts, cases] = await Promise.all([
    show === "cases" ? nothing : readActs({ ...filtersOf(query), ...bounds }, signal, show),
    show === "acts" ? nothing : readCases(bounds, signal),
  ]);
  return { ...pageOf([acts, cases]), refusal: acts.refusal };
}

/** Of one kind, as far as it was read: what is older than `readTo` may lack some of it. */
interface Part {
  readonly happened: readonly Happened[];
  readonly readTo: number | null;
  readonly refusal: Refusal | null;
}

const nothing: Part = { happened: [], readTo: null, refusal: null };

/** Who may not see acts sees what became of cases all the same. */
async function readActs(filters: Filters, signal: AbortSignal, show: Show): Promise<Part> {
  try {
    const { lines, next } = await api.listAudit(filters, { signal });
    const happened = lines.map((line): Happened => ({
      what: "act",
      at: line.at,
      id: line.auditId,
      line,
    }));
    return { happened, readTo: next === null ? null : (lines.at(-1)?.at ?? null), refusal: null };
  } catch (error) {
    const refusal = asRefusal(error);
    if (show === "acts" || refusal.code !== "NOT_ALLOWED") throw error;
    return { ...nothing, refusal };
  }
}

async function readCases(
  bounds: { readonly limit: number; readonly until?: number },
  signal: AbortSignal,
): Promise<Part> {
  const { milestones, next } = await api.listMilestones(bounds, { signal });
  const happened = milestones.map((milestone): Happened => ({
    what: "case",
    at: milestone.at,
    id: `${milestone.caseId} ${milestone.revision}`,
    milestone,
  }));
  return { happened, readTo: next === null ? null : (milestones.at(-1)?.at ?? null), refusal: null };
}

/** Down to where every part was read; what is of that very moment comes whole with the next page, where that is possible. */
function pageOf(parts: readonly Part[]): Pick<Read, "happened" | "until"> {
  const all = parts.flatMap(({ happened }) => happened).toSorted((one, other) => other.at - one.at);
  const ends = parts.flatMap(({ readTo }) => (readTo === null ? [] : [readTo]));
  if (ends.length === 0) return { happened: all, until: null };
  const readTo = Math.max(...ends);
  const later = all.filter(({ at }) => at > readTo);
  // More of one moment than a page holds cannot be told apart by time.
  if (later.length === 0) return { happened: all.filter(({ at }) => at >= readTo), until: readTo };
  return { happened: later, until: readTo + 1 };
}

/** Each is written once and changed by nothing that is shown. */
function linesOf({ happened }: Read): readonly HeldLine[] {
  return happened.map(({ id }) => ({ id, says: "" }));
}

/** The screen. */
export function ActivityScreen({ query }: { readonly query: URLSearchParams }): JSX.Element {
  const key = query.toString();
  const { data, error } = usePolled(`activity ${key}`, (signal) => readActivity(query, signal));
  const { shown, changed, show, area } = useHeld(`activity ${key}`, data, linesOf);
  const filters = Object.fromEntries(["show", ...FILTERS].map((name) => [name, query.get(name)]));
  return (
    <>
      <h1 tabIndex={-1}>Activity</h1>
      <FilterForm query={query} />
      <ReadProblem error={error ?? shown?.refusal ?? null} isOld={error !== null && shown !== null} />
      <ChangedBar changed={changed} show={show} />
      {shown === null ? null : (
        <div ref={area} className="held">
          {shown.happened.length === 0 ? (
            <p className="calm">
              Nothing of the kind happened. {key === "" ? null : <Link to="activity">Show all</Link>}
            </p>
          ) : (
            <ActTable happened={shown.happened} />
          )}
          <nav className="pages" aria-label="Pages">
            {query.get("until") === null ? null : <Link to={pathWith("activity", filters)}>Newest</Link>}
            {shown.until === null ? null : (
              <Link to={pathWith("activity", { ...filters, until: String(shown.until) })}>Older</Link>
            )}
          </nav>
        </div>
      )}
    </>
  );
}

function FilterForm({ query }: { readonly query: URLSearchParams }): JSX.Element {
  const form = useRef<HTMLFormElement>(null);
  const submit = (event: { preventDefault: () => void }): void => {
    event.preventDefault();
    if (form.current === null) return;
    const values = [...new FormData(form.current)].map(([name, value]): [string, string] => [
      name,
      typeof value === "string" ? value.trim() : "",
    ]);
    goTo(pathWith("activity", Object.fromEntries(values)));
  };
  const field = (name: string, label: string): JSX.Element => (
    <label>
      {label}
      <input
        name={name}
        defaultValue={query.get(name) ?? ""}
        maxLength={200}
        data-search={name === "who" ? "" : undefined}
      />
    </label>
  );
  return (
    <form ref={form} key={query.toString()} onSubmit={submit} role="search" className="filters">
      <label>
        Show
        <select name="show" defaultValue={query.get("show") ?? ""}>
          <option value="">everything</option>
          <option value="acts">acts of people</option>
          <option value="cases">reviews, ends, lost workers</option>
        </select>
      </label>
      {field("who", "Who")}
      {field("act", "Act")}
      {field("caseId", "Case id")}
      <label>
        Outcome
        <select name="outcome" defaultValue={query.get("outcome") ?? ""}>
          <option value="">any</option>
          <option value="done">done</option>
          <option value="requested">asked of the holder</option>
          <option value="refused">refused</option>
        </select>
      </label>
      <button type="submit">Show</button>
    </form>
  );
}

const outcomes: Readonly<Record<Line["outcome"], readonly [word: string, tone: string]>> = {
  done: ["done", "done"],
  requested: ["asked of the holder", "wait"],
  refused: ["refused", "need"],
};

function ActTable({ happened }: { readonly happened: readonly Happened[] }): JSX.Element {
  return (
    <table className="cases is-prose">
      <caption>What people did and were refused, and what became of cases, newest first</caption>
      <thead>
        <tr>
          <th scope="col">What</th>
          <th scope="col">What became of it</th>
          <th scope="col">Who</th>
          <th scope="col">When</th>
        </tr>
      </thead>
      <tbody>
        {happened.map((one) =>
          one.what === "act" ? (
            <ActRow key={one.id} line={one.line} />
          ) : (
            <CaseRow key={one.id} milestone={one.milestone} />
          ),
        )}
      </tbody>
    </table>
  );
}

const milestoneLooks: Readonly<Record<Milestone["kind"], readonly [word: string, tone: string]>> = {
  reviewOpened: ["review opened", "need"],
  caseDone: ["done", "done"],
  canceled: ["canceled", "off"],
  claimLost: ["worker lost", "lost"],
};

function CaseRow({ milestone }: { readonly milestone: Milestone }): JSX.Element {
  const { caseId, caseType, businessKey, revision, kind, sentence, by, at } = milestone;
  const [word, tone] = milestoneLooks[kind];
  return (
    <tr data-row={`${caseId} ${revision}`}>
      <th scope="row">
        <Link to={casePath(caseId)} className="case-link">
          <Told text={businessKey ?? caseId} />
        </Link>
        <small>
          <Told text={caseType} />
        </small>
      </th>
      <td>
        <span className={`badge tone-${tone}`}>{word}</span> <Sentence text={sentence} />
      </td>
      <td data-label="Who: ">{by === null ? "the engine" : <Told text={by.name} />}</td>
      <td data-label="When: ">
        <When at={at} />
      </td>
    </tr>
  );
}

function ActRow({ line }: { readonly line: Line }): JSX.Element {
  const { auditId, at, act, outcome, code, who, caseId, about, why, sentence, before, after } = line;
  const [word, tone] = outcomes[outcome];
  // Of several lines of one act the case and the moment tell them apart.
  const name = [act, caseId ?? about, new Date(at).toISOString()].filter((one) => one !== null).join(", ");
  return (
    <tr data-row={auditId}>
      <th scope="row">
        <Told text={act} />
        {about === null ? null : (
          <small>
            <Told text={about} />
          </small>
        )}
        {caseId === null ? null : (
          <small>
            <Link to={casePath(caseId)} className="case-link">
              {caseId}
            </Link>
          </small>
        )}
      </th>
      <td>
        <span className={`badge tone-${tone}`}>{word}</span>{" "}
        {sentence === null ? null : <Sentence text={sentence} />} {code === null ? null : <code>{code}</code>}
        {why === null ? null : (
          <small>
            Reason: <Told text={why} />
          </small>
        )}
        {before === null && after === null ? null : (
          <details className="fold">
            <summary>
              Before and after<span className="hidden">: {name}</span>
            </summary>
            <Value value={before} name={`Before: ${name}`} />
            <Value value={after} name={`After: ${name}`} />
          </details>
        )}
      </td>
      <td data-label="Who: ">{who === null ? "nobody who is known" : <Told text={who} />}</td>
      <td data-label="When: ">
        <When at={at} />
      </td>
    </tr>
  );
}
