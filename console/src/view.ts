/** Lists of cases under a name: those that everybody has, and how an address tells which one is shown. Pure. */

/** A list under a name. */
export interface View {
  readonly name: string;
  /** Filters, as the query of an address says them. */
  readonly query: string;
}

/** Those that everybody has. A person's own come after them. */
export const BUILT_IN_VIEWS: readonly View[] = [
  { name: "Mine", query: "assignee=me&open=true" },
  { name: "Unowned", query: "assignee=-&needsPeople=true" },
  { name: "Needs access", query: "reading=Needs+access" },
  { name: "Overdue", query: "overdue=true" },
  { name: "Outcome unknown", query: "reading=Outcome+unknown" },
  { name: "In review", query: "review=true" },
];

/** Filters in an order of their own, without the page of the list: two addresses of one list are equal then. */
export function viewQuery(query: URLSearchParams): string {
  const filters = [...query].filter(([name, value]) => name !== "cursor" && value !== "");
  return new URLSearchParams(filters.toSorted(byText)).toString();
}

function byText([one, ...rest]: readonly string[], [other, ...more]: readonly string[]): number {
  return `${one} ${rest.join()}` < `${other} ${more.join()}` ? -1 : 1;
}

/** True where the address shows this list. */
export function isShown(view: View, query: URLSearchParams): boolean {
  return viewQuery(new URLSearchParams(view.query)) === viewQuery(query);
}
