/** What the API tells, by the name of the operation. */

import type { ApiTypes, RouteId } from "../http/api/types.ts";

/** The reply of a route. */
export type Reply<Id extends RouteId> = ApiTypes[Id]["reply"];
/** Everything about one case. */
export type CasePacket = Reply<"showCase">;
/** What became of an act on one case. */
export type ActReply = Reply<"addNote">;
