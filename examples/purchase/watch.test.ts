import { createDesk, createWorker, ENGINE_VERSION, registryOf, systemPorts } from "foothold";
import { memoryStore } from "foothold/memory";
import { expect, test, vi } from "vitest";
import { definePurchase } from "./purchase.ts";
import { demoRequests } from "./requests.ts";
import { watchCases } from "./watch.ts";

test("no rest is told before all was set going, then it is told once", async () => {
  const store = memoryStore();
  await store.migrate();
  const ports = systemPorts();
  // Nothing is sent: the cases wait for an approval that nobody gives.
  const registry = registryOf([
    definePurchase({ erpUrl: "http://127.0.0.1:9", mailUrl: "http://127.0.0.1:9" }),
  ]);
  const desk = createDesk({ store, registry, ports, engineVersion: ENGINE_VERSION });
  const worker = createWorker({ store, registry, ports, name: "w", host: "here", build: "test" });
  await worker.start();
  for (const { input } of demoRequests) await desk.startCase("purchase", input, { by: "kim" });
  const states = async (): Promise<readonly string[]> =>
    (await store.listCases({ limit: 10 })).rows.map(({ state }) => state);
  await vi.waitFor(async () => expect(await states()).toEqual(demoRequests.map(() => "waiting")), 10_000);

  const told: string[] = [];
  const end = new AbortController();
  let isSetGoing = false;
  let looks = 0;
  const watching = watchCases({
    store: {
      listCases: (filter) => {
        looks += 1;
        return store.listCases(filter);
      },
      loadCase: (caseId) => store.loadCase(caseId),
    },
    since: 0,
    print: (line) => told.push(line.replace(/^.*requested.*$/, "requested")),
    isSetGoing: () => isSetGoing,
    onRest: () => told.push("at rest"),
    signal: end.signal,
  });
  await vi.waitFor(() => expect(looks).toBeGreaterThan(3), 10_000);
  told.push("set going");
  isSetGoing = true;
  await vi.waitFor(() => expect(told).toContain("at rest"), 10_000);
  const looksThen = looks;
  await vi.waitFor(() => expect(looks).toBeGreaterThan(looksThen + 2), 10_000);
  end.abort();
  await watching;
  await worker.stop();
  await store.close();
  expect(told).toEqual([...demoRequests.map(() => "requested"), "set going", "at rest"]);
});
