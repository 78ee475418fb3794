/** A server or a worker of the storm, put together as the command line does: `server URL ERP HOOK` or `worker URL ERP HOOK`. */

import { createDesk, ENGINE_VERSION, systemPorts } from "foothold";
import { postgresStore } from "foothold/postgres";
import { startParts } from "../../../src/cli/parts.ts";
import { BUILT_IN_ROLES } from "../../../src/core/rights.ts";
import { stormBook, stormRegistry } from "./storm-types.ts";

const [role = "", url = "", erpUrl = "", hookUrl = ""] = process.argv.slice(2);
const store = postgresStore({ url });
const registry = stormRegistry(erpUrl);
const ports = systemPorts();
const served = { host: "test", build: "1" };
const { server } = await startParts({
  store,
  registry,
  ports,
  notices: stormBook(hookUrl),
  roles: BUILT_IN_ROLES,
  desk: createDesk({ store, registry, ports, engineVersion: ENGINE_VERSION }),
  server:
    role === "server"
      ? { host: "127.0.0.1", port: 0, reach: { kind: "loopback" }, everybody: "ops", served }
      : null,
  worker: role === "worker" ? { name: `w-${process.pid}`, host: "test", build: "1", leaseMs: 3_000 } : null,
  onReport: () => undefined,
  onError: (error) => process.stderr.write(`${String(error)}\n`),
});
process.stdout.write(`${server?.url ?? "ready"}\n`);
