/** All cases, filtered, by pages. */

import { useState, type JSX } from "react";
import { api, type ListPage, type Me } from "./api.ts";
import { attributeColumns } from "./attribute-columns.ts";
import { BulkDialog } from "./bulk/bulk-dialog.tsx";
import { CaseTable } from "./case-table.tsx";
import { FilterForm, FILTERS, FLAGS } from "./filters.tsx";
import { lineOfCase, useHeld, type HeldLine } from "./held.ts";
import { Link } from "./link.tsx";
import { ChangedBar, ReadProblem } from "./notices.tsx";
import { usePolled } from "./polled.ts";
import { listPath, typePath } from "./route.ts";
import { RowActs, useSelection } from "./selection.tsx";
import { noteServerTime } from "./times.tsx";
import { Told } from "./told.tsx";
import { Views } from "./views.tsx";
import { count } from "./words.tsx";

const PAGE_SIZE = 50;
/** Types change with what is deployed alone, in ms. */
const TYPES_MS = 60_000;

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

type BulkQuery = Extract<Parameters<typeof api.startBulk>[0]["filter"], { by: "query" }>["query"];

/** The same as a value: an address knows texts alone. */
function valuesOf(query: URLSearchParams): BulkQuery {
  const entries = Object.entries(filtersOf(query) ?? {}).map(([name, value]): [string, unknown] => {
    if (name === "reading" || name === "state" || name === "find") return [name, [value].flat()];
    return [name, FLAGS.includes(name) ? value === "true" : value];
  });
  return Object.fromEntries(entries) as BulkQuery;
}

async function readTypes(signal: AbortSignal): Promise<readonly string[]> {
  const { types } = await api.showOverview({}, { signal });
  return types.map(({ caseType }) => caseType);
}

const linesOf = ({ cases }: ListPage): readonly HeldLine[] => cases.map(lineOfCase);

/** The screen. */
export function CasesScreen({
  query,
  me,
}: {
  readonly query: URLSearchParams;
  readonly me: Me | null;
}): JSX.Element {
  const [isActing, setActing] = useState(false);
  const key = query.toString();
  const cursor = query.get("cursor");
  const { data, error } = usePolled(
    `cases ${key}`,
    async (signal) => {
      const filters = filtersOf(query);
      const paging = cursor === null ? { limit: PAGE_SIZE } : { limit: PAGE_SIZE, cursor };
      const [page, found] = await Promise.all([
        api.listCases({ ...filters, ...paging }, { signal }),
        api.countCases({ ...filters }, { signal }),
      ]);
      noteServerTime(page.now);
      return { page, found };
    },
    { hints: { of: "lists" } },
  );
  const types = usePolled("types", readTypes, { everyMs: TYPES_MS });
  const [isHeld, setHeld] = useState(false);
  const { shown, changed, show, area } = useHeld(key, data?.page ?? null, linesOf, { isHeld });
  const selection = useSelection(key, shown?.cases ?? [], me);
  const isChoosing = selection.caseIds.length > 0;
  if (isChoosing !== isHeld) setHeld(isChoosing);
  const filters = Object.fromEntries(FILTERS.map((name) => [name, query.getAll(name)]));
  return (
    <>
      <h1 tabIndex={-1}>Cases</h1>
      <Views query={query} />
      <FilterForm query={query} types={types.data ?? []} />
      <MapLink caseType={query.get("type") ?? ""} />
      <ReadProblem error={error} isOld={shown !== null} />
      <ChangedBar changed={changed} show={show} />
      {shown === null ? null : (
        <div ref={area} className="held">
          {shown.cases.length === 0 ? (
            <p className="calm">No case matches. {key === "" ? null : <Link to="cases">Show all</Link>}</p>
          ) : (
            <CaseTable
              caption={sayFound(data?.found ?? null)}
              cases={shown.cases}
              selection={selection}
              columns={(query.get("type") ?? "") === "" ? [] : attributeColumns(shown.cases)}
            />
          )}
          <nav className="pages" aria-label="Pages">
            {cursor === null ? null : <Link to={listPath(filters)}>First page</Link>}
            {shown.next === null ? null : (
              <Link to={listPath({ ...filters, cursor: shown.next })}>Next page</Link>
            )}
          </nav>
          {/* Last: who may see it is told later than the list, and no link moves then. */}
          {(data?.found.count ?? 0) > 0 && me?.verbs.includes("bulk") === true ? (
            <div className="buttons">
              <button type="button" onClick={() => setActing(true)}>
                Act on all that match
              </button>
            </div>
          ) : null}
          <RowActs selection={selection} me={me} />
        </div>
      )}
      {isActing && me !== null ? (
        <BulkDialog
          about="every case that this list shows now"
          filter={{ by: "query", query: valuesOf(query) }}
          me={me}
          onClose={() => setActing(false)}
        />
      ) : null}
    </>
  );
}

/** Where the cases of the type stand, for who looks at one type. */
function MapLink({ caseType }: { readonly caseType: string }): JSX.Element | null {
  if (caseType === "") return null;
  return (
    <p>
      <Link to={typePath(caseType)}>
        Map of <Told text={caseType} />
      </Link>
    </p>
  );
}

function sayFound(found: { readonly count: number; readonly isCapped: boolean } | null): string {
  const what =
    found === null ? "Cases" : `${found.isCapped ? "More than " : ""}${count(found.count, "case")}`;
  return `${what}, newest start first`;
}
