/** Restate: a service handler with three `ctx.run`, called through the ingress of a server of its own. */

import { randomUUID } from "node:crypto";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer as createHttp2Server } from "node:http2";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Context } from "@restatedev/restate-sdk";
import { instantStep, type Contestant, type Surroundings } from "../closed-loop/contestant.ts";

/** How long its server gets to be ready, in ms. */
const READY_MS_MAX = 30_000;

/** Opens it. */
export async function open(_surroundings: Surroundings): Promise<Contestant> {
  addWithResolvers();
  const restate = await import("@restatedev/restate-sdk");
  const three = restate.service({
    name: "three",
    handlers: {
      run: async (ctx: Context): Promise<null> => {
        await ctx.run("first", instantStep(1));
        await ctx.run("second", instantStep(2));
        await ctx.run("third", instantStep(3));
        return null;
      },
    },
  });
  const [servicePort, ingressPort, adminPort, nodePort] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ];
  const service = createHttp2Server(
    restate.createEndpointHandler({ services: [three], logger: () => undefined }),
  );
  await new Promise<void>((resolve) => service.listen(servicePort, "127.0.0.1", resolve));
  const folder = mkdtempSync(join(tmpdir(), "bench-restate-"));
  const server = spawn(process.execPath, [binPath(), `--base-dir=${folder}`], {
    stdio: "ignore",
    detached: true,
    env: {
      ...process.env,
      RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingressPort}`,
      RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${adminPort}`,
      RESTATE_BIND_ADDRESS: `127.0.0.1:${nodePort}`,
      RESTATE_ADVERTISED_ADDRESS: `http://127.0.0.1:${nodePort}`,
      RESTATE_LOG_FILTER: "error",
      DO_NOT_TRACK: "1",
      SCARF_ANALYTICS: "false",
    },
  });
  await registered(`http://127.0.0.1:${adminPort}/deployments`, `http://127.0.0.1:${servicePort}`);
  return {
    runCase: async () => {
      const answer = await fetch(`http://127.0.0.1:${ingressPort}/three/run`, {
        method: "POST",
        headers: { "idempotency-key": randomUUID() },
      });
      if (!answer.ok) throw new Error(`restate answered ${answer.status}: ${await answer.text()}`);
      await answer.arrayBuffer();
    },
    close: async () => {
      service.close();
      if (server.pid !== undefined) process.kill(-server.pid, "SIGKILL");
      rmSync(folder, { recursive: true, force: true });
      await Promise.resolve();
    },
  };
}

function binPath(): string {
  return new URL("node_modules/@restatedev/restate-server/lib/index.js", import.meta.url).pathname;
}

/** The SDK asks for what Node 20 has not. */
function addWithResolvers(): void {
  if (!("withResolvers" in Promise))
    Object.defineProperty(Promise, "withResolvers", { value: withResolvers });
}

function withResolvers(): unknown {
  const settling: { resolve?: unknown; reject?: unknown } = {};
  const promise = new Promise((resolve, reject) => Object.assign(settling, { resolve, reject }));
  return { promise, ...settling };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("there is no free port");
  return address.port;
}

async function registered(admin: string, uri: string): Promise<void> {
  const until = performance.now() + READY_MS_MAX;
  for (;;) {
    try {
      const answer = await fetch(admin, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ uri }),
      });
      if (answer.ok) return;
      if (performance.now() > until) throw new Error(`${answer.status}: ${await answer.text()}`);
    } catch (error) {
      if (performance.now() > until)
        throw new Error("the Restate server did not get ready", { cause: error });
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
