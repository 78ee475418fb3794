/** What cases are found by, laid out for a list: columns where all are of one type, else a few values beside each. Pure. */

import type { CaseLine } from "./api.ts";

/** Columns of one list. */
const COLUMNS_MAX = 5;
/** Values beside one case. */
const CHIPS_MAX = 4;
/** What tags are told by. */
const TAG = "tag";

type SearchValue = CaseLine["search"][number];

/** The attributes that any of the cases has, in the order of their declaration; at most five. */
export function attributeColumns(lines: readonly Pick<CaseLine, "search">[]): readonly string[] {
  const names = lines.flatMap(({ search }) => search.map(({ name }) => name));
  return [...new Set(names)].filter((name) => name !== TAG).slice(0, COLUMNS_MAX);
}

/** What one case is found by in a column; a case has one value of each attribute. */
export function valueIn(column: string, { search }: Pick<CaseLine, "search">): SearchValue | null {
  return search.find(({ name }) => name === column) ?? null;
}

/** What stands beside a case that no column tells, and how many more there are. */
export function chipsOf(
  { search }: Pick<CaseLine, "search">,
  columns: readonly string[],
): { readonly chips: readonly SearchValue[]; readonly more: number } {
  const rest = search.filter(({ name }) => !columns.includes(name));
  return { chips: rest.slice(0, CHIPS_MAX), more: Math.max(0, rest.length - CHIPS_MAX) };
}
