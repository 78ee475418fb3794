import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createClient, type Client } from "foothold/client";
import { startDev, type Dev } from "foothold/dev";
import { memoryStore } from "foothold/memory";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Outside } from "./outside.ts";
import { article, scoring } from "./scoring.ts";

const hasPython = spawnSync("python3", ["--version"]).status === 0;
const WITHIN_MS = 60_000;

/** Beside this file; where only JavaScript is, as a newcomer compiles it, beside its source. */
function programPath(): string {
  const beside = fileURLToPath(new URL("scorer.py", import.meta.url));
  if (existsSync(beside)) return beside;
  return fileURLToPath(new URL("../../../examples/python-worker/scorer.py", import.meta.url));
}

async function until<T>(what: string, look: () => Promise<T | null>): Promise<T> {
  const endAt = Date.now() + WITHIN_MS;
  while (Date.now() < endAt) {
    const found = await look();
    if (found !== null) return found;
    await delay(50);
  }
  throw new Error(`not within ${WITHIN_MS} ms: ${what}`);
}

describe.skipIf(!hasPython)(
  `a worker in Python${hasPython ? "" : " (left out: there is no python3 here)"}`,
  () => {
    let store: ReturnType<typeof memoryStore>;
    let outside: Outside;
    let outsideUrl: string;
    let dev: Dev;
    let client: Client;
    let workers: ChildProcess[];

    const serve = async (port = 0): Promise<void> => {
      dev = await startDev({ store, cases: [scoring, article], port, leaseMs: 3_000 });
      client = createClient({ baseUrl: dev.url });
    };

    beforeEach(async () => {
      store = memoryStore();
      outside = new Outside();
      outsideUrl = await outside.start();
      workers = [];
      await serve();
    });

    afterEach(async () => {
      for (const worker of workers) worker.kill("SIGKILL");
      await outside.stop();
      await dev.stop();
    });

    async function startPython(name: string): Promise<ChildProcess> {
      const env = {
        ...process.env,
        FOOTHOLD_URL: dev.url,
        WORKER_NAME: name,
        MODELS_URL: outsideUrl,
        ARCHIVE_URL: outsideUrl,
      };
      const worker = spawn("python3", [programPath()], { env, stdio: ["ignore", "inherit", "inherit"] });
      workers.push(worker);
      await until(`${name} has registered`, async () => {
        const { workers: known } = await client.listWorkers();
        return known.some((one) => one.name === name) ? true : null;
      });
      return worker;
    }

    async function startScoring(): Promise<string> {
      return (await client.startCase({ type: "scoring", input: { text: "a long way" } })).caseId;
    }

    async function untilDone(caseId: string): Promise<void> {
      await until(`${caseId} is done`, async () =>
        (await client.showCase({ caseId })).storedState === "done" ? true : null,
      );
    }

    async function untilHeld(caseId: string): Promise<void> {
      await until("the model is asked", () => Promise.resolve(outside.asked > 0 ? true : null));
      expect((await client.showCase({ caseId })).storedState).toBe("claimed");
    }

    async function kindsOf(caseId: string): Promise<readonly string[]> {
      const { entries } = await client.exportCase({ caseId });
      return entries.map(({ entry }) => entry.kind);
    }

    test("does a step of a case of TypeScript, and people see who does it", async () => {
      outside.hold();
      const worker = await startPython("py-1");
      const { caseId } = await client.startCase({ type: "article", input: { text: "a long way" } });
      const scored = await until("the child is held", async () => {
        const { cases } = await client.listCases({ parent: caseId });
        return outside.asked > 0 ? (cases[0] ?? null) : null;
      });
      expect((await client.showCase({ caseId: scored.caseId })).holding?.sentence).toMatch(
        /py-1 \(.+, python 3\.\d+\.\d+, scorer 1\.0\)/,
      );
      outside.letAnswer();
      await untilDone(caseId);
      expect(outside.filed.size).toBe(1);
      worker.kill("SIGTERM");
      expect(await once(worker, "exit")).toEqual([0, null]);
    });

    test("that is killed while it sends is noticed after its lease, and the next one sends with the same key", async () => {
      outside.hold();
      const first = await startPython("py-1");
      const caseId = await startScoring();
      await untilHeld(caseId);
      first.kill("SIGKILL");
      await startPython("py-2");
      outside.letAnswer();
      await untilDone(caseId);
      expect(await kindsOf(caseId)).toContain("claimLost");
      expect({ asked: outside.asked, scored: outside.scored.size }).toEqual({ asked: 2, scored: 1 });
    });

    test("that was stopped for longer than its lease is refused when it wakes, and goes on under a new name", async () => {
      outside.hold();
      const first = await startPython("py-1");
      const caseId = await startScoring();
      await untilHeld(caseId);
      first.kill("SIGSTOP");
      await until("its claim is freed", async () =>
        (await kindsOf(caseId)).includes("claimLost") ? true : null,
      );
      first.kill("SIGCONT");
      outside.letAnswer();
      await untilDone(caseId);
      const kinds = await kindsOf(caseId);
      expect(kinds.filter((kind) => kind === "lateReport")).toHaveLength(1);
      expect({ scored: outside.scored.size, filed: outside.filed.size }).toEqual({ scored: 1, filed: 1 });
    });

    test("keeps its claim while the server is started anew, and reports to that one", async () => {
      outside.hold();
      await startPython("py-1");
      const caseId = await startScoring();
      await untilHeld(caseId);
      const port = Number(new URL(dev.url).port);
      await dev.stop();
      outside.letAnswer();
      await serve(port);
      await untilDone(caseId);
      expect(await kindsOf(caseId)).not.toContain("claimLost");
      expect(outside.asked).toBe(1);
    });
  },
);
