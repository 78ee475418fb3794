/** What the routes for problems and bulk acts take and give. */

import type { Assignee } from "../../core/journal.ts";
import type { Json } from "../../core/json.ts";
import type { BulkOrder, BulkPreview } from "../../desk/bulk.ts";
import type { ProblemsView } from "../../desk/problems.ts";
import type { BulkAct, BulkItem } from "../../store/bulk-port.ts";
import type { CasesQuery } from "./case-queries.ts";

/** Which problems. */
export interface ProblemsQuery {
  readonly type?: string;
  readonly tenant?: string;
}

/** What is said of a group of problems, in the place of what was said before; left out = nothing. */
export interface MarkBody {
  readonly owner?: string | null;
  readonly note?: string | null;
}

/** What is done to each case. */
export type BulkMoveBody =
  /** Without a step: every step of the case. */
  | { readonly move: "resume"; readonly step?: string }
  | { readonly move: "check"; readonly step: string }
  | { readonly move: "skip"; readonly step: string; readonly result?: Json }
  /** `untilAt` is epoch ms; null = until somebody resumes it. */
  | { readonly move: "pause"; readonly untilAt?: number | null }
  | { readonly move: "cancel" }
  /** Null = nobody in particular. */
  | { readonly move: "assign"; readonly to: Assignee | null }
  | { readonly move: "note"; readonly text: string };

/** Which cases: of one group of problems, named ones, or those that a list with these filters shows now. */
export type BulkFilterBody =
  | { readonly by: "problem"; readonly problemId: string }
  | { readonly by: "cases"; readonly caseIds: readonly string[] }
  | { readonly by: "query"; readonly query: CasesQuery };

/** A bulk act to be looked at first. */
export interface BulkPreviewBody {
  readonly move: BulkMoveBody;
  readonly filter: BulkFilterBody;
}

/** A bulk act to be made. */
export interface BulkBody extends BulkPreviewBody {
  readonly reason?: string | null;
  /** True = the others only begin once the first case turned out well. Default: true where the move lets cases go on. */
  readonly tryFirst?: boolean;
}

/** A bulk act. Times are epoch ms. */
export interface BulkActView extends Omit<BulkAct, "by" | "request" | "filter"> {
  /** Who made it, by name. */
  readonly by: string;
  /** What the move is made with, and what the cases were found by. */
  readonly request: Json;
  readonly filter: Json;
}

/** One case of a bulk act. */
export type BulkItemView = Omit<BulkItem, "bulkId">;

/** Which cases of a bulk act: those after a place, and of one state alone. */
export interface BulkItemsQuery {
  readonly after?: number;
  readonly state?: BulkItem["state"];
}

/** A bulk act with one page of its cases. */
export interface BulkPage {
  readonly act: BulkActView;
  readonly items: readonly BulkItemView[];
  /** Place after which the next page begins; null = this is the last one. */
  readonly next: number | null;
}

/** What people do to a bulk act. */
export interface BulkOrderBody {
  readonly order: BulkOrder;
  readonly reason?: string | null;
}

/** Names one. */
export interface BulkParams {
  readonly bulkId: string;
}

/** What each route takes and gives. */
export interface BulkApiTypes {
  readonly listProblems: { params: object; query: ProblemsQuery; body: null; reply: ProblemsView };
  readonly markProblem: {
    params: { problemId: string };
    query: object;
    body: MarkBody;
    reply: { readonly sentence: string };
  };
  readonly previewBulk: { params: object; query: object; body: BulkPreviewBody; reply: BulkPreview };
  readonly startBulk: { params: object; query: object; body: BulkBody; reply: BulkActView };
  readonly listBulkActs: {
    params: object;
    query: object;
    body: null;
    reply: { readonly acts: readonly BulkActView[] };
  };
  readonly showBulkAct: { params: BulkParams; query: BulkItemsQuery; body: null; reply: BulkPage };
  readonly orderBulkAct: { params: BulkParams; query: object; body: BulkOrderBody; reply: BulkActView };
}
