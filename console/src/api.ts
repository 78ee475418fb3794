/** The client of the API, and short names for what its routes give. */

import { createClient, FootholdError, type ApiTypes, type Client } from "../../src/client.ts";
import { basePath } from "./base.ts";

/** Talks to the server that this page comes from. */
export const api: Client = createClient({ baseUrl: basePath });

/** One page of cases. */
export type ListPage = ApiTypes["listCases"]["reply"];
/** One case in a list. */
export type CaseLine = ListPage["cases"][number];
/** Everything about one case. */
export type CaseView = ApiTypes["showCase"]["reply"];
/** What a pick-up would do now. */
export type PlanView = NonNullable<CaseView["plan"]>;
/** One act, and whether it is allowed. */
export type MoveView = CaseView["moves"][number];
/** What forms of a case type can be made of. */
export type FormsView = ApiTypes["showForms"]["reply"];
/** A case type as data. */
export type CaseOutline = ApiTypes["showCaseType"]["reply"];
/** The steps of a case type, and how many cases stand at each. */
export type CaseMap = ApiTypes["showCaseMap"]["reply"];
/** How open cases stood over time. */
export type StateHistory = ApiTypes["showHistory"]["reply"];
/** What destinations take and took. */
export type Traffic = ApiTypes["showTraffic"]["reply"];
/** Counts and what is wrong now. */
export type Overview = ApiTypes["showOverview"]["reply"];
/** What starts cases by the clock. */
export type Schedule = ApiTypes["pauseSchedule"]["reply"];
/** The same with a page of its slots. */
export type ScheduleDetail = ApiTypes["showSchedule"]["reply"];
/** What became of an act. */
export type ActReply = ApiTypes["addNote"]["reply"];
/** Who is signed in. */
export type Me = ApiTypes["showMe"]["reply"];
/** Any JSON value, as inputs, results and evidence are. */
export type Json = CaseView["input"];
/** A state as people read it. */
export type ReadableState = CaseLine["reading"]["state"];

/** Told on the window when the server knows nobody any more. */
export const SIGNED_OUT = "foothold:signed-out";

/** What went wrong, for people: the refusal of the server, or that there was none. */
export function asRefusal(error: unknown): FootholdError {
  if (error instanceof FootholdError) {
    if (error.code === "NOT_SIGNED_IN") dispatchEvent(new Event(SIGNED_OUT));
    return error;
  }
  const what = error instanceof Error ? error.message : String(error);
  return new FootholdError("INVARIANT_BROKEN", `The page met something unexpected: ${what}`, {
    cause: error,
  });
}

/** What a refusal says of what changed in the plan, and of the plan version now. */
export function changesOf(refusal: FootholdError): {
  readonly changes: readonly string[];
  readonly plan: string | null;
} {
  const { changes, plan } = refusal.details;
  return {
    changes: Array.isArray(changes) ? changes.filter((one) => typeof one === "string") : [],
    plan: typeof plan === "string" ? plan : null,
  };
}

/** The kept form of the type `FootholdError`, so that screens import it from here. */
export type Refusal = FootholdError;
