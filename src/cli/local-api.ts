/**
 * The API in this process: the very handlers of the server over the database that the options name, without a socket.
 * Whoever may use the database may do everything, under the name that `--by` gives.
 */

import { hostname } from "node:os";
import { Hono } from "hono";
import { createClient, type Client } from "../http/client/client.ts";
import { isFootholdError } from "../core/errors.ts";
import { createApi, type TellProblem } from "../http/api/api.ts";
import { cookieRules, devSignIn } from "../http/api/identity.ts";
import { answerProblem, noRoute, problemOf } from "../http/problem.ts";
import type { Call } from "./command.ts";
import { noticeDeskParts } from "./notice-parts.ts";
import { open, whoActs, type Opened, type OpenOptions } from "./open.ts";
import { packageVersion } from "./package-version.ts";
import { formatTime } from "./times.ts";

/** Such as no socket has. */
const BASE_URL = "http://localhost";
/** A request ends with the database's own bounds; this one only keeps a fault from hanging, in ms. */
const TIMEOUT_MS = 600_000;
/** A command reaches the console only as the configuration says, and no channel on its own machine but allowed ones. */
const reach = { consoleUrl: null, reachesLoopback: false } as const;

/** Opens the database, does the work, and closes whatever became of it. What fails is thrown as it was, with its causes. */
export async function withLocalClient(
  call: Call,
  definitions: OpenOptions["definitions"],
  work: (client: Client) => Promise<void>,
): Promise<void> {
  const opened = await open(call, { definitions, choice: "any", mayCreate: false, poolMax: 4 });
  let fault: unknown = null;
  try {
    await opened.store.checkSchema();
    const app = localApp(opened, whoActs(call), (c, error, status) => {
      fault = error;
      return answerProblem(c, error, status);
    });
    const fetch: typeof globalThis.fetch = async (target, init) => {
      fault = null;
      return app.fetch(new Request(target, init));
    };
    await work(createClient({ baseUrl: BASE_URL, timeoutMs: TIMEOUT_MS, fetch }));
  } catch (error) {
    throw isWhatWasTold(error, fault) ? fault : error;
  } finally {
    await opened.close();
  }
}

/** True where the error is what the client made of the fault's answer. */
function isWhatWasTold(error: unknown, fault: unknown): boolean {
  return fault !== null && isFootholdError(error) && error.code === problemOf(fault).code;
}

function localApp(opened: Opened, by: string, tellProblem: TellProblem): Hono {
  const app = new Hono();
  const { desk, store, registry, ports, sources, roles, oidc } = opened;
  const api = createApi(
    {
      desk,
      store,
      registry,
      ports,
      sources,
      roles,
      formatTime,
      hasOidc: oidc !== null,
      notices: noticeDeskParts(opened, reach),
      served: { host: hostname(), build: `foothold ${packageVersion()}` },
      signIn: devSignIn(by),
      cookie: cookieRules(false),
      addressOf: () => null,
    },
    tellProblem,
  );
  app.route("/", api);
  app.notFound((c) => answerProblem(c, noRoute(c), 404));
  app.onError((error, c) => tellProblem(c, error));
  return app;
}
