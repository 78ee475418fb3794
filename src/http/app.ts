/**
 * The one HTTP app: health, the API (api/) and the console. Every request is first held to the rules of who may
 * reach the server (loopback.ts).
 */

import { Hono, type Context, type MiddlewareHandler } from "hono";
import { FootholdError } from "../core/errors.ts";
import { mayDo } from "../core/rights.ts";
import type { OidcOptions } from "../define/config.ts";
import { createApi, type ApiOptions } from "./api/api.ts";
import type { SignIn } from "./api/identity.ts";
import { API_BASE } from "./api/routes.ts";
import { clientAddress } from "./client-address.ts";
import { readConsole, type ConsoleFile } from "./console-files.ts";
import { readHealth } from "./health.ts";
import { judgeRequest, type Reach } from "./loopback.ts";
import { readMetrics } from "./metrics.ts";
import { createOidc } from "./oidc.ts";
import { answerProblem, noRoute, problemOf } from "./problem.ts";

/** What the app is made of. */
export interface AppOptions extends Omit<ApiOptions, "addressOf" | "hasOidc"> {
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
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; " +
    "form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cache-Control": "no-store",
  "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
};

/** Paths of the console's screens, and how many folders below its own each is. */
const screens: readonly (readonly [path: string, depth: number])[] = [
  ["/", 0],
  ["/cases", 0],
  ["/cases/:caseId", 1],
  ["/problems", 0],
  ["/destinations", 0],
  ["/events", 0],
  ["/events/:eventId", 1],
  ["/schedules/:schedule", 1],
  ["/types/:caseType", 1],
  ["/bulk", 0],
  ["/bulk/:bulkId", 1],
  ["/workers", 0],
  ["/activity", 0],
  ["/settings", 0],
];

/** Makes the app. Reads the files of the console once, here. */
export function createApp(options: AppOptions): App {
  const { desk } = options;
  const app: App = new Hono<{ Bindings: Bindings }>();
  app.use(setHeaders(options.reach));
  app.use(guardOf(options.reach));

  app.get("/healthz", async (c) => {
    const health = await readHealth(desk, options.ports.clock);
    // Whoever is not on this machine is told no more than a load balancer needs.
    const told = options.reach.kind === "loopback" ? health : { status: health.status };
    return c.json(told, health.status === "down" ? 503 : 200);
  });
  app.get("/metrics", async (c) => {
    await allowMetrics(options.signIn, c);
    const { text, contentType } = await readMetrics(options);
    return c.body(text, 200, { "Content-Type": contentType });
  });
  const { oidc, reach, cookie, store } = options;
  const hasOidc = oidc !== null && reach.kind === "public";
  if (hasOidc)
    app.route("/", createOidc({ oidc, store, ids: options.ports.ids, cookie, origin: reach.origin }));
  app.route("/", createApi({ ...options, hasOidc, addressOf: clientOf(reach) }, answerProblem));
  addConsole(app);

  app.notFound((c) => answerProblem(c, noRoute(c), 404));
  app.onError((error, c) => {
    const { code } = problemOf(error);
    if (code === "INVARIANT_BROKEN") options.onError?.(error);
    return answerProblem(c, error);
  });
  return app;
}

/** The figures are of all cases, so they need the right to see them all. */
async function allowMetrics(signIn: SignIn, c: AppContext): Promise<void> {
  const who = await signIn({ header: (name) => c.req.header(name), isWrite: false, isWaiting: true });
  if (who === null) {
    throw new FootholdError(
      "NOT_SIGNED_IN",
      "Nobody is signed in, so nothing is told. Give the scraper a token (`foothold tokens create`) in Authorization.",
    );
  }
  if (mayDo(who.grants, "see", "house")) return;
  throw new FootholdError(
    "NOT_ALLOWED",
    `${who.name} has not the right "see" for all tenants and case types.`,
  );
}

/** Its files are named after their content, so they may be kept; the page that names them may not. */
function addConsole(app: App): void {
  const files = readConsole();
  for (const [path, depth] of screens) {
    app.get(path, (c) => {
      if (files === null) throw notBuilt();
      return sendFile(c, files.page(depth));
    });
  }
  app.get("/assets/:name", (c) => {
    const file = files?.asset(c.req.param("name")) ?? null;
    if (file === null) return answerProblem(c, noRoute(c), 404);
    c.header("Cache-Control", "public, max-age=31536000, immutable");
    return sendFile(c, file);
  });
}

function sendFile(c: AppContext, { type, bytes, zipped }: ConsoleFile): Response {
  const isZipped = /\bgzip\b/.test(c.req.header("accept-encoding") ?? "");
  c.header("Vary", "Accept-Encoding");
  if (isZipped) c.header("Content-Encoding", "gzip");
  return c.body(isZipped ? zipped : bytes, 200, { "Content-Type": type });
}

function notBuilt(): FootholdError {
  return new FootholdError(
    "INVALID_REQUEST",
    `The console is not built in this clone: npm run build makes it.`,
  );
}

/** At its own https address browsers are told to come by https alone, for a year. */
const HTTPS_ALONE = { "Strict-Transport-Security": "max-age=31536000" } as const;

function setHeaders({ kind }: Reach): MiddlewareHandler {
  const all = Object.entries(kind === "public" ? { ...headers, ...HTTPS_ALONE } : headers);
  return async (c, next) => {
    await next();
    for (const [name, value] of all) {
      const isOwn = name === "Cache-Control" && c.res.headers.has(name);
      if (!isOwn) c.res.headers.set(name, value);
    }
  };
}

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

/** For what is counted by address. Whom the rules of reach let in is judged by the socket alone. */
function clientOf(reach: Reach): (c: Context) => string | null {
  const isProxy = (reach.kind === "public" ? reach.isProxy : undefined) ?? (() => false);
  return (c) => clientAddress(peerOf(c), c.req.header("x-forwarded-for"), isProxy);
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
