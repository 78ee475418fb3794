/** Activity: what people did and were refused, newest first, as the record of acts has it. */

import { useRef, type JSX } from "react";
import { api } from "./api.ts";
import { useHeld, type HeldLine } from "./held.ts";
import { Link } from "./link.tsx";
import { ChangedBar, ReadProblem } from "./notices.tsx";
import { usePolled } from "./polled.ts";
import { casePath, goTo, pathWith } from "./route.ts";
import { When } from "./times.tsx";
import { Told, Value } from "./told.tsx";

const PAGE_SIZE = 50;
const FILTERS = ["who", "act", "outcome", "caseId", "about"] as const;

type Page = Awaited<ReturnType<typeof api.listAudit>>;
type Line = Page["lines"][number];
type Filters = NonNullable<Parameters<typeof api.listAudit>[0]>;

function filtersOf(query: URLSearchParams): Filters {
  const entries = FILTERS.flatMap((name) => {
    const value = query.get(name) ?? "";
    return value === "" ? [] : [[name, value]];
  });
  const named: unknown = Object.fromEntries(entries);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- texts of an address; the server refuses what is none
  return named as Filters;
}

/** A line is written once and changed by nothing that is shown. */
function linesOf({ lines }: Page): readonly HeldLine[] {
  return lines.map(({ auditId }) => ({ id: auditId, says: "" }));
}

/** The screen. */
export function ActivityScreen({ query }: { readonly query: URLSearchParams }): JSX.Element {
  const key = query.toString();
  const cursor = query.get("cursor");
  const { data, error } = usePolled(`activity ${key}`, (signal) => {
    const paging = cursor === null ? { limit: PAGE_SIZE } : { limit: PAGE_SIZE, cursor };
    return api.listAudit({ ...filtersOf(query), ...paging }, { signal });
  });
  const { shown, changed, show, area } = useHeld(`activity ${key}`, data, linesOf);
  const filters = Object.fromEntries(FILTERS.map((name) => [name, query.get(name)]));
  return (
    <>
      <h1 tabIndex={-1}>Activity</h1>
      <FilterForm query={query} />
      <ReadProblem error={error} isOld={shown !== null} />
      <ChangedBar changed={changed} show={show} />
      {shown === null ? null : (
        <div ref={area} className="held">
          {shown.lines.length === 0 ? (
            <p className="calm">
              Nobody did anything of the kind. {key === "" ? null : <Link to="activity">Show all</Link>}
            </p>
          ) : (
            <ActTable lines={shown.lines} />
          )}
          <nav className="pages" aria-label="Pages">
            {cursor === null ? null : <Link to={pathWith("activity", filters)}>Newest</Link>}
            {shown.next === null ? null : (
              <Link to={pathWith("activity", { ...filters, cursor: shown.next })}>Older</Link>
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

function ActTable({ lines }: { readonly lines: readonly Line[] }): JSX.Element {
  return (
    <table className="cases is-prose">
      <caption>What people did and were refused, newest first</caption>
      <thead>
        <tr>
          <th scope="col">Act</th>
          <th scope="col">What became of it</th>
          <th scope="col">Who</th>
          <th scope="col">When</th>
        </tr>
      </thead>
      <tbody>
        {lines.map((line) => (
          <ActRow key={line.auditId} line={line} />
        ))}
      </tbody>
    </table>
  );
}

function ActRow({ line }: { readonly line: Line }): JSX.Element {
  const { auditId, at, act, outcome, code, who, caseId, about, why, sentence, before, after } = line;
  const [word, tone] = outcomes[outcome];
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
        {sentence === null ? null : <Told text={sentence} />} {code === null ? null : <code>{code}</code>}
        {why === null ? null : (
          <small>
            Reason: <Told text={why} />
          </small>
        )}
        {before === null && after === null ? null : (
          <details className="fold">
            <summary>
              Before and after<span className="hidden">: {act}</span>
            </summary>
            <Value value={before} name={`Before: ${act}`} />
            <Value value={after} name={`After: ${act}`} />
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
