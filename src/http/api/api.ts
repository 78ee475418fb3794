/**
 * The API on a Hono app. Each request is signed in, judged on the object that it acts on, read by the route's schemas, and
 * only then answered: a route without a right that is granted answers nobody.
 */

import { Hono, type Context } from "hono";
import { FootholdError } from "../../core/errors.ts";
import { Elsewhere } from "../../engine/elsewhere.ts";
import type { OnReport } from "../../engine/report.ts";
import { noteRefusal } from "../../desk/audited.ts";
import { DEFAULT_TENANT, caseNotFound, isCaseId } from "../../desk/requests.ts";
import { scheduleNotFound } from "../../desk/schedule-view.ts";
import { createChangeFeed } from "./change-feed.ts";
import { BEAT_MS, streamChanges } from "./change-stream.ts";
import { CONTRACTS, type Contract } from "./contracts.ts";
import type { Answer, ApiParts, Call, Handler } from "./call.ts";
import { HANDLERS } from "./handlers.ts";
import { cookieHeader, cookieToken, type CookieRules, type Identity, type SignIn } from "./identity.ts";
import { openApiDocument } from "./openapi.ts";
import { queryShape, readAs, readBody, readPlan, readQuery, type QueryShape } from "./read-request.ts";
import { refusedAct } from "./refused-acts.ts";
import { mayDo, mayDoSomewhere, type RightsObject, type Verb } from "../../core/rights.ts";
import { API_BASE, API_ROUTES, CHANGES_PATH, OPENAPI_PATH, type RouteHead } from "./routes.ts";
import type { RouteId } from "./types.ts";
import type { ApiTypes } from "./types.ts";

/** What the API is made of. */
export interface ApiOptions extends Omit<ApiParts, "elsewhere"> {
  /** How long a worker in another place may be silent, in ms. Default 10,000. */
  readonly workLeaseMs?: number;
  /** Told of what becomes of their claims. Default: nobody. */
  readonly onWork?: OnReport;
  readonly signIn: SignIn;
  readonly cookie: CookieRules;
  /** How often a stream of changes shows that it is there, in ms. Default 10,000. */
  readonly streamBeatMs?: number;
  /** Where a request comes from; null = nobody knows. */
  readonly addressOf: (c: Context) => string | null;
}

/** The same with what is made of it. */
type ServedOptions = ApiOptions & ApiParts;

/** How the app tells of an error; the status takes the place of the code's own. */
export type TellProblem = (
  c: Context,
  error: unknown,
  status?: 405 | 413 | 415,
) => Response | Promise<Response>;

/** An app with every route; what it throws is for the app that it is mounted in. */
export function createApi(options: ApiOptions, tellProblem: TellProblem): Hono {
  const app = new Hono();
  const { store, registry, ports, workLeaseMs, onWork } = options;
  const lease = workLeaseMs === undefined ? {} : { leaseMs: workLeaseMs };
  const told = onWork === undefined ? {} : { onReport: onWork };
  const parts = { ...options, elsewhere: new Elsewhere({ store, registry, ports, ...lease, ...told }) };
  // Made when it is asked for: it takes as long as all the rest, and most processes never tell it.
  let document: string | null = null;
  app.get(OPENAPI_PATH, (c) => {
    document ??= JSON.stringify(openApiDocument());
    return c.body(document, 200, { "Content-Type": "application/json; charset=utf-8" });
  });
  const { streamBeatMs: beatMs = BEAT_MS } = options;
  const feed = createChangeFeed(options.store, options.ports.clock);
  app.get(CHANGES_PATH, (c) =>
    streamChanges(c, { feed, clock: options.ports.clock, signIn: options.signIn, beatMs }),
  );
  const methods = new Map<string, string[]>([[CHANGES_PATH, ["GET", "HEAD"]]]);
  for (const id of routeIds()) {
    const { method, path } = API_ROUTES[id];
    const at = `${API_BASE}${path.replaceAll(/\{(\w+)\}/g, ":$1")}`;
    methods.set(at, [...(methods.get(at) ?? []), ...(method === "GET" ? ["GET", "HEAD"] : [method])]);
    app.on(method, at, routeNamed(id, parts, tellProblem));
  }
  for (const [path, allowed] of methods) {
    app.all(path, (c) => {
      c.header("Allow", allowed.join(", "));
      const message = `${c.req.method} is not answered here; there is ${allowed.join(", ")}.`;
      return tellProblem(c, new FootholdError("INVALID_REQUEST", message), 405);
    });
  }
  return app;
}

function routeIds(): readonly RouteId[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the table are the operations
  return Object.keys(API_ROUTES) as RouteId[];
}

function routeNamed<Id extends RouteId>(
  id: Id,
  options: ServedOptions,
  tellProblem: TellProblem,
): ReturnType<typeof routeOf<Id>> {
  return routeOf<Id>(
    { id, head: API_ROUTES[id], contract: CONTRACTS[id], handler: HANDLERS[id] },
    options,
    tellProblem,
  );
}

/** What one route is made of, all of it for the same operation. */
interface RouteParts<Id extends RouteId> {
  readonly id: Id;
  readonly head: RouteHead;
  readonly contract: Contract<Id>;
  readonly handler: Handler<Id>;
}

function routeOf<Id extends RouteId>(
  { id, head, contract, handler }: RouteParts<Id>,
  options: ServedOptions,
  tellProblem: TellProblem,
): (c: Context) => Promise<Response> {
  const shape = queryShape(contract.query);
  const read = async (c: Context, who: Identity): Promise<Call<Id> | Response> => {
    const header = (name: string): string | undefined => c.req.header(name);
    const wanted = { who, params: c.req.param(), plan: readPlan(header("if-match"))?.plan };
    let sent: object | null = null;
    try {
      if (head.verb !== null && !mayDoSomewhere(who.grants, head.verb)) throw notAllowed(who, head, null);
      const { params, query } = readUrl(c, contract, shape);
      const told = head.method === "GET" ? { value: null } : await readBody(c.req.raw);
      if ("error" in told) return await tellProblem(c, told.error, told.status);
      const body = readAsBody(contract, told.value);
      sent = body;
      const objects = await objectsOf(options, head, { params, body });
      for (const verb of verbsNeeded(head, body)) {
        for (const one of objects) allow({ ...head, verb }, who, { object: one, params });
      }
      const [object = null] = objects;
      const plan = planOf(head, header("if-match"));
      const sessionToken = cookieToken(options.cookie, header("cookie"));
      const from = { sessionToken, address: options.addressOf(c) };
      return { params, query, body, plan, who, object, from, signal: c.req.raw.signal, parts: options };
    } catch (error) {
      const act = refusedAct(id, head, { ...wanted, body: sent });
      const { store, ports } = options;
      if (act !== null) await noteRefusal({ store, ids: ports.ids, lookup: options }, act, error);
      throw error;
    }
  };
  return async (c) => {
    const header = (name: string): string | undefined => c.req.header(name);
    const isWrite = head.method !== "GET";
    const who = head.isOpen === true ? nobody : await options.signIn({ header, isWrite });
    if (who === null) throw notSignedIn();
    const call = await read(c, who);
    return call instanceof Response ? call : answer(c, await handler(call), options.cookie);
  };
}

const nobody: Identity = { name: "nobody", person: null, signedInBy: "session", grants: [] };

function verbsNeeded({ verb, also }: RouteHead, body: object | null): readonly (Verb | null)[] {
  if (also === undefined || body === null) return [verb];
  const isAsked = Object.entries(body).some(([field, value]) => field === also.field && value === true);
  return isAsked ? [verb, also.verb] : [verb];
}

function readUrl<Id extends RouteId>(
  c: Context,
  { params, query }: Contract<Id>,
  shape: QueryShape,
): Pick<Call<Id>, "params" | "query"> {
  return {
    params: readAs(params, c.req.param(), "The path cannot be read"),
    query: readAs(query, readQuery(new URL(c.req.url).searchParams, shape), "The query cannot be read"),
  };
}

function readAsBody<Id extends RouteId>({ body }: Contract<Id>, value: unknown): ApiTypes[Id]["body"] {
  // A route has either no schema and no body, or both: its contract's type says so.
  return body === null ? null : readAs(body, value, "The body cannot be taken");
}

/** What the request is about, all of it; none = what it may see of is left to its answer. */
async function objectsOf(
  { store, desk }: ApiParts,
  { on }: RouteHead,
  { params, body }: { readonly params: object; readonly body: object | null },
): Promise<readonly RightsObject[]> {
  switch (on) {
    case "case": {
      const caseId = "caseId" in params ? String(params.caseId) : "";
      const row = isCaseId(caseId) ? await store.loadRow(caseId) : null;
      if (row === null) throw caseNotFound(caseId);
      return [row];
    }
    case "caseType": {
      const named = body !== null && "type" in body ? body.type : "caseType" in params ? params.caseType : "";
      const tenant = body !== null && "tenant" in body ? String(body.tenant) : DEFAULT_TENANT;
      return [{ caseType: String(named), tenant }];
    }
    case "schedule":
      return desk.startedBy(scheduleIn(params));
    case "house":
      return ["house"];
    case "visible":
    case "anyone":
      return [];
  }
}

function scheduleIn(params: object): string {
  return "schedule" in params ? String(params.schedule) : "";
}

/** Throws `CASE_NOT_FOUND`, `SCHEDULE_NOT_FOUND` where not even that may be seen, so that its absence tells nothing. */
function allow(
  head: RouteHead,
  who: Identity,
  { object, params }: { readonly object: RightsObject; readonly params: object },
): void {
  if (head.verb === null || mayDo(who.grants, head.verb, object)) return;
  if (object !== "house" && !mayDo(who.grants, "see", object)) {
    if (head.on === "case") throw caseNotFound("caseId" in object ? String(object.caseId) : "");
    if (head.on === "schedule") throw scheduleNotFound(scheduleIn(params));
  }
  throw notAllowed(who, head, object);
}

function planOf({ plan, summary }: RouteHead, header: string | undefined): string | undefined {
  const read = readPlan(header);
  if (read !== null) return read.plan;
  if (plan === "none") return undefined;
  throw new FootholdError(
    "PLAN_NEEDED",
    `"${summary}" binds to the plan that the person saw: send its version, the ETag of the case, in If-Match, or * ` +
      `for whatever it is now. Nothing was done.`,
  );
}

function answer<Reply>(c: Context, told: Answer<Reply>, rules: CookieRules): Response {
  const { reply, status, etag, location, cookie } = told;
  return c.body(JSON.stringify(reply), status ?? 200, {
    "Content-Type": "application/json; charset=utf-8",
    ...(etag === undefined ? {} : { ETag: `"${etag}"` }),
    ...(location === undefined ? {} : { Location: `${API_BASE}${location}` }),
    ...(cookie === undefined ? {} : { "Set-Cookie": cookieHeader(rules, cookie) }),
  });
}

function notSignedIn(): FootholdError {
  return new FootholdError("NOT_SIGNED_IN", "Nobody is signed in, so nothing is told and nothing done.");
}

function notAllowed(
  { name }: Identity,
  { verb, summary }: RouteHead,
  object: RightsObject | null,
): FootholdError {
  const where =
    object === null || object === "house" ? "" : ` for ${object.caseType} of the tenant ${object.tenant}`;
  return new FootholdError(
    "NOT_ALLOWED",
    `${name} has not the right "${verb}"${where}, which this needs: ${summary.toLowerCase()}. Nothing was done.`,
  );
}
