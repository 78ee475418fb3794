/**
 * The one HTTP app: health, the API (api/) and the page. Every request is first held to the loopback rules (loopback.ts).
 */

import { readFileSync } from "node:fs";
import { Hono, type Context, type MiddlewareHandler } from "hono";
import { FootholdError } from "../core/errors.ts";
import { mayDo } from "../core/rights.ts";
import type { OidcOptions } from "../define/config.ts";
import { createApi, type ApiOptions } from "./api/api.ts";
import { API_BASE, OPENAPI_PATH } from "./api/routes.ts";
import { readHealth } from "./health.ts";
import { judgeRequest, type Reach } from "./loopback.ts";
import { createOidc } from "./oidc.ts";
import { casesPage, problemPage, type Markup } from "./page.ts";
import { problemOf, RETRY_AFTER_S, type ProblemStatus } from "./problem.ts";
import { readFilter } from "./queries.ts";

/** What the app is made of. */
export interface AppOptions extends Omit<ApiOptions, "addressOf"> {
  readonly reach: Reach;
  /** Where people sign in beside passwords; null = nowhere. Only at a public address. */
  readonly oidc: OidcOptions | null;
  /** Told of errors that are not ours; what the client reads does not say what they were. */
  readonly onError?: (error: unknown) => void;
}

/** What the Node server hands to the app; anything else in its place is refused. */
interface Bindings {
  readonly incoming?: { readonly socket?: { readonly remoteAddress?: string | undefined } };
}

/** The app's own type. */
export type App = Hono<{ Bindings: Bindings }>;

type AppContext = Context<{ Bindings: Bindings }>;

const headers: Readonly<Record<string, string>> = {
  "Content-Security-Policy":
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cache-Control": "no-store",
  "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
};

/** Makes the app. Reads its style sheet once, here. */
export function createApp(options: AppOptions): App {
  const { desk, formatTime } = options;
  const styles = readFileSync(new URL("page.css", import.meta.url), "utf8");
  const app: App = new Hono<{ Bindings: Bindings }>();
  app.use(setHeaders);
  app.use(guardOf(options.reach));

  app.get("/healthz", async (c) => {
    const health = await readHealth(desk, options.ports.clock);
    // Whoever is not on this machine is told no more than a load balancer needs.
    const told = options.reach.kind === "loopback" ? health : { status: health.status };
    return c.json(told, health.status === "down" ? 503 : 200);
  });
  const { oidc, reach, cookie, store } = options;
  if (oidc !== null && reach.kind === "public") {
    app.route("/", createOidc({ oidc, people: store.people, cookie, origin: reach.origin }));
  }
  app.route("/", createApi({ ...options, addressOf: peerOf }, answerProblem));
  app.get("/page.css", (c) => c.body(styles, 200, { "Content-Type": "text/css; charset=utf-8" }));
  app.get("/", async (c) => {
    await checkReader(options, c);
    const query = queryOf(c);
    const filter = readFilter(query);
    const [overview, page] = await Promise.all([desk.overview(), desk.list(filter)]);
    return markup(c, casesPage({ overview, page, filter, query, formatTime }), 200);
  });

  app.notFound((c) => answerProblem(c, noRoute(c), 404));
  app.onError((error, c) => {
    const { code } = problemOf(error);
    if (code === "INVARIANT_BROKEN") options.onError?.(error);
    return answerProblem(c, error);
  });
  return app;
}

const setHeaders: MiddlewareHandler = async (c, next) => {
  await next();
  for (const [name, value] of Object.entries(headers)) c.res.headers.set(name, value);
};

function guardOf(reach: Reach): MiddlewareHandler<{ Bindings: Bindings }> {
  return async (c, next) => {
    const facts = {
      peer: peerOf(c),
      method: c.req.method,
      url: c.req.url,
      header: (name: string) => c.req.header(name),
    };
    const refusal = judgeRequest(facts, reach);
    if (refusal !== null) throw refusal;
    const isRead = c.req.method === "GET" || c.req.method === "HEAD";
    if (!isRead && !c.req.path.startsWith(`${API_BASE}/`)) {
      c.header("Allow", "GET, HEAD");
      return answerProblem(c, noMethod(c), 405);
    }
    return next();
  };
}

/** On this machine the page is for everybody; elsewhere for those who may see every case. */
async function checkReader({ reach, signIn }: AppOptions, { req }: AppContext): Promise<void> {
  if (reach.kind === "loopback") return;
  const who = await signIn({ header: (name) => req.header(name), isWrite: false });
  if (who === null) throw new FootholdError("NOT_SIGNED_IN", "Sign in to see this page.");
  if (mayDo(who.grants, "see", "house")) return;
  throw new FootholdError("NOT_ALLOWED", "This page is for those who may see every case.");
}

/** The socket's own address; headers that claim another are never read for it. */
function peerOf(c: Context): string | null {
  // oxlint-disable-next-line typescript/no-unsafe-assignment -- nothing at all is handed over where the app runs without our server
  const bindings: Bindings | undefined = c.env;
  return bindings?.incoming?.socket?.remoteAddress ?? null;
}

function noMethod({ req }: AppContext): FootholdError {
  return new FootholdError("INVALID_REQUEST", `${req.method} is not answered here; there is GET, HEAD.`);
}

function noRoute({ req }: AppContext): FootholdError {
  const path = JSON.stringify(req.path.slice(0, 100));
  return new FootholdError(
    "INVALID_REQUEST",
    `There is nothing at ${path}. There are /, /healthz and what ${OPENAPI_PATH} describes.`,
  );
}

function queryOf({ req }: AppContext): URLSearchParams {
  return new URL(req.url).searchParams;
}

async function markup(c: AppContext, page: Markup, status: ProblemStatus | 200): Promise<Response> {
  return c.html(await page, status);
}

/** Pages get a page, everything else problem+json. */
function answerProblem(c: AppContext, error: unknown, status?: ProblemStatus): Response | Promise<Response> {
  const problem = problemOf(error);
  const answered = { ...problem, status: status ?? problem.status };
  if (answered.status === 503) c.header("Retry-After", String(RETRY_AFTER_S));
  if (c.req.path === "/" && answered.status !== 403) return markup(c, problemPage(answered), answered.status);
  return c.body(`${JSON.stringify(answered, null, 2)}\n`, answered.status, {
    "Content-Type": "application/problem+json; charset=utf-8",
  });
}
