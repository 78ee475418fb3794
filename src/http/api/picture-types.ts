/** What the routes of pictures take and give. */

import type { CaseMap } from "../../desk/case-map.ts";
import type { StateHistory, TrafficView } from "../../desk/history.ts";

/** Which history. */
export interface HistoryQuery {
  /** How far back, in hours; 24 when left out. */
  readonly hours?: number;
  /** Only of this case type. */
  readonly type?: string;
}

/** What each route takes and gives. */
export interface PictureApiTypes {
  readonly showCaseMap: { params: { caseType: string }; query: object; body: null; reply: CaseMap };
  readonly showHistory: { params: object; query: HistoryQuery; body: null; reply: StateHistory };
  readonly showTraffic: { params: object; query: object; body: null; reply: TrafficView };
}
