/** A client over the app itself, which holds every answer to the description of its route, and tells which were called. */

import { createClient, type Client } from "../client/client.ts";
import type { App } from "../app.ts";
import { fromHere } from "../app.fixture.ts";
import { CONTRACTS } from "./contracts.ts";
import { API_BASE, API_ROUTES } from "./routes.ts";
import type { RouteId } from "./types.ts";
import { problem } from "./schemas/reply-schemas.ts";

/** A client and what it called. */
export interface WatchedClient {
  readonly client: Client;
  /** Operations that were answered with success. */
  readonly done: ReadonlySet<RouteId>;
}

/** Every answer that is not as described fails the call. */
export function watchedClient(app: App, token?: string): WatchedClient {
  const done = new Set<RouteId>();
  const client = createClient({
    baseUrl: "http://localhost:4680",
    ...(token === undefined ? {} : { token }),
    fetch: async (target, init) => {
      const url = new URL(target instanceof Request ? target.url : target);
      const headers = new Headers(init?.headers);
      headers.set("host", url.host);
      const answer = await app.request(url.href, { ...init, headers }, fromHere);
      const id = routeOf(init?.method ?? "GET", url.pathname);
      const told: unknown = await answer.clone().json();
      (answer.ok ? CONTRACTS[id].reply : problem).parse(told);
      if (answer.ok) done.add(id);
      return answer;
    },
  });
  return { client, done };
}

function routeOf(method: string, pathname: string): RouteId {
  // The keys of the table are the names of its operations.
  const found = (Object.keys(API_ROUTES) as RouteId[]).find((id) => {
    const head = API_ROUTES[id];
    const pattern = new RegExp(`^${API_BASE}${head.path.replaceAll(/\{\w+\}/g, "[^/]+")}$`);
    return head.method === method && pattern.test(pathname);
  });
  if (found === undefined) throw new Error(`the client called ${method} ${pathname}, which is no route`);
  return found;
}
