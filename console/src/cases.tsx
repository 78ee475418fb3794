/** All cases, filtered, by pages. */

import type { JSX } from "react";
import { api, type ListPage } from "./api.ts";
import { CaseTable } from "./case-table.tsx";
import { FilterForm, FILTERS } from "./filters.tsx";
import { useHeld } from "./held.ts";
import { Link } from "./link.tsx";
import { ChangedBar, ReadProblem } from "./notices.tsx";
import { usePolled } from "./polled.ts";
import { listPath } from "./route.ts";
import { noteServerTime } from "./times.tsx";
import { count } from "./words.tsx";

const PAGE_SIZE = 50;

type Filters = Parameters<typeof api.listCases>[0];

/** The filters in an address as the API takes them: it judges them, and names what it does not know. */
function filtersOf(query: URLSearchParams): Filters {
  const entries = FILTERS.flatMap((name) => {
    const values = query.getAll(name).filter((value) => value !== "");
    return values.length === 0 ? [] : [[name, values.length === 1 ? values[0] : values]];
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- texts of an address; the server refuses what is none
  return Object.fromEntries(entries) as Filters;
}

const casesOf = ({ cases }: ListPage): ListPage["cases"] => cases;

/** The screen. */
export function CasesScreen({ query }: { readonly query: URLSearchParams }): JSX.Element {
  const key = query.toString();
  const cursor = query.get("cursor");
  const { data, error } = usePolled(
    `cases ${key}`,
    async (signal) => {
      const filters = filtersOf(query);
      const paging = cursor === null ? { limit: PAGE_SIZE } : { limit: PAGE_SIZE, cursor };
      const [page, found, { types }] = await Promise.all([
        api.listCases({ ...filters, ...paging }, { signal }),
        api.countCases({ ...filters }, { signal }),
        api.showOverview({}, { signal }),
      ]);
      noteServerTime(page.now);
      return { page, found, types: types.map(({ caseType }) => caseType) };
    },
    { hints: { of: "lists" } },
  );
  const { shown, changed, show, area } = useHeld(key, data?.page ?? null, casesOf);
  const filters = Object.fromEntries(FILTERS.map((name) => [name, query.getAll(name)]));
  return (
    <>
      <h1 tabIndex={-1}>Cases</h1>
      <FilterForm query={query} types={data?.types ?? []} />
      <ReadProblem error={error} isOld={shown !== null} />
      <ChangedBar changed={changed} show={show} />
      {shown === null ? null : (
        <div ref={area} className="held">
          {shown.cases.length === 0 ? (
            <p className="calm">No case matches. {key === "" ? null : <Link to="cases">Show all</Link>}</p>
          ) : (
            <CaseTable caption={sayFound(data?.found ?? null)} cases={shown.cases} />
          )}
          <nav className="pages" aria-label="Pages">
            {cursor === null ? null : <Link to={listPath(filters)}>First page</Link>}
            {shown.next === null ? null : (
              <Link to={listPath({ ...filters, cursor: shown.next })}>Next page</Link>
            )}
          </nav>
        </div>
      )}
    </>
  );
}

function sayFound(found: { readonly count: number; readonly isCapped: boolean } | null): string {
  const what =
    found === null ? "Cases" : `${found.isCapped ? "More than " : ""}${count(found.count, "case")}`;
  return `${what}, newest start first`;
}
