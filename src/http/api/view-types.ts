/** What the routes of saved views take and give. */

/** A list of cases that a person keeps under a name. */
export interface SavedView {
  readonly name: string;
  /** Filters, as the query of an address of the console says them, such as `type=purchase&overdue=true`. */
  readonly query: string;
}

/** What each route takes and gives. */
export interface ViewApiTypes {
  readonly listViews: {
    params: object;
    query: object;
    body: null;
    reply: { readonly views: readonly SavedView[] };
  };
  readonly saveView: { params: object; query: object; body: SavedView; reply: { readonly sentence: string } };
  readonly removeView: {
    params: { readonly view: string };
    query: object;
    body: object;
    reply: { readonly sentence: string };
  };
}
