/** `foothold/client`: the HTTP API of a Foothold server, typed, for browsers and Node alike. */

export { FootholdError, isFootholdError, type ErrorCode, type FieldFault } from "./core/errors.ts";
export {
  createClient,
  type CallArguments,
  type CallInput,
  type CallOptions,
  type Client,
  type ClientOptions,
  type PlannedCallOptions,
} from "./http/client/client.ts";
export { watchChanges, type WatchOptions } from "./http/client/watch.ts";
export { API_ROUTES, type RouteHead } from "./http/api/routes.ts";
export type * from "./http/api/types.ts";
export { VERBS, type Verb } from "./core/rights.ts";
export { findInexactNumber } from "./core/inexact-number.ts";
