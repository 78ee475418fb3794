/**
 * One server of the intake bench, in a process of its own: `inbox` or `bare`, with a database given. Prints its port, and
 * ends with its parent.
 */

import { createServer } from "node:http";
import { createRequire } from "node:module";
import { Pool } from "pg";
import { systemPorts } from "../src/engine/system.ts";
import { createInbox, defineSource } from "../src/inbox.ts";
import { postgresStore } from "../src/postgres.ts";

/** What is used of fastify. */
interface Fastify {
  post(path: string, handler: (request: Received, reply: Reply) => Promise<unknown>): void;
  listen(options: { readonly port: number; readonly host: string }): Promise<string>;
}

interface Received {
  readonly body: { readonly id: string };
}

interface Reply {
  code(status: number): { send(): unknown };
}

/** As the store's own pool has by default. */
const CONNECTIONS = 10;
/** A package of the tests with real clients, which have a lock of their own. */
const FRAMEWORK = "fastify";

const [kind = "", url = ""] = process.argv.slice(2);
const port = kind === "inbox" ? await serveInbox() : await serveBare();
process.stdout.write(`${port}\n`);
process.on("disconnect", () => process.exit(0));

async function serveInbox(): Promise<number> {
  const store = postgresStore({ url, poolMax: CONNECTIONS });
  await store.migrate();
  const source = defineSource("bench", {
    preset: "stripe",
    owner: "bench",
    secrets: () => "whsec_bench",
    consumers: {
      told: {
        kind: "tell",
        caseType: "none",
        on: ["*"],
        as: "told",
        payload: ({ data }) => data,
        fetch: null,
        key: null,
      },
    },
  });
  const inbox = createInbox({ store, sources: [source], ports: systemPorts() });
  const server = createServer((incoming, outgoing) => void inbox.node(incoming, outgoing));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** What many would write: the body parsed by the framework, one upsert by the event's id, no signature. */
async function serveBare(): Promise<number> {
  const pool = new Pool({ connectionString: url, max: CONNECTIONS });
  await pool.query(
    "create table if not exists bare (id text primary key, at timestamptz not null, body jsonb not null)",
  );
  const require = createRequire(new URL("../test/clients/package.json", import.meta.url));
  const fastify = require(FRAMEWORK) as () => Fastify;
  const app = fastify();
  app.post("/inbox/bench", async ({ body }, reply) => {
    await pool.query({
      name: "upsert",
      text: "insert into bare (id, at, body) values ($1, now(), $2) on conflict (id) do update set at = now()",
      values: [body.id, JSON.stringify(body)],
    });
    return reply.code(202).send();
  });
  return Number(new URL(await app.listen({ port: 0, host: "127.0.0.1" })).port);
}
