/** How a command reaches cases: through the API alone, of a server or in this process. */

import { createClient, type Client } from "../http/client/client.ts";
import type { Call, OptionSpec } from "./command.ts";
import { DATABASE_OPTIONS } from "./database-options.ts";
import { explained, findServer, SERVER_OPTIONS } from "./server.ts";

/** Options of every command that works through the API. */
export const API_OPTIONS: readonly OptionSpec[] = [...SERVER_OPTIONS, ...DATABASE_OPTIONS];

/** What a command needs of the API. */
export interface ApiUse {
  /** Whether the API in this process can do without definitions; a server has its own. */
  readonly definitions: "needed" | "optional";
  /** How long one request to a server may take, in ms; 30,000 when left out. */
  readonly timeoutMs?: number;
}

/** Does work with a client of the server that is named, or else of the API in this process over the database. */
export async function withClient(
  call: Call,
  { definitions, timeoutMs }: ApiUse,
  work: (client: Client) => Promise<void>,
): Promise<void> {
  const server = findServer(call);
  if (server === null) {
    // Only here: a command that goes through a server needs no store and no engine.
    const { withLocalClient } = await import("./local-api.ts");
    return withLocalClient(call, definitions, work);
  }
  const { baseUrl, token } = server;
  const client = createClient({
    baseUrl,
    ...(token === null ? {} : { token }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
  try {
    await work(client);
  } catch (error) {
    throw explained(error, server);
  }
}
