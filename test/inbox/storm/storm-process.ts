/** A server or a worker of the storm, put together as the command line does: `server URL PORT` or `worker URL`. */

import { Pool } from "pg";
import { createDesk, ENGINE_VERSION, systemPorts } from "foothold";
import { postgresStore } from "foothold/postgres";
import { BUILT_IN_ROLES } from "../../../src/core/rights.ts";
import { startParts } from "../../../src/cli/parts.ts";
import { stormTypes } from "./storm-types.ts";

const [role = "", url = "", port = "0"] = process.argv.slice(2);
const pool = new Pool({ connectionString: url, max: 4 });
pool.on("error", () => undefined);
const store = postgresStore({ url });
const { registry, sources } = stormTypes(pool);
const ports = systemPorts();
const { server } = await startParts({
  store,
  registry,
  ports,
  sources,
  roles: BUILT_IN_ROLES,
  desk: createDesk({ store, registry, ports, engineVersion: ENGINE_VERSION }),
  server:
    role === "server"
      ? {
          host: "127.0.0.1",
          port: Number(port),
          reach: { kind: "loopback" },
          everybody: null,
          served: { host: "test", build: "1" },
        }
      : null,
  worker: role === "worker" ? { name: `w-${process.pid}`, host: "test", build: "1", leaseMs: 3_000 } : null,
  onReport: () => undefined,
  onError: (error) => process.stderr.write(`${String(error)}\n`),
});
process.stdout.write(`${server?.port ?? "up"}\n`);
// Its parent ends it, as a rule without asking.
process.stdin.on("end", () => process.exit(0)).resume();
