/**
 * What the meter costs: the same requests with and without it, in paired blocks of one run, over fetch and node:http,
 * against a server in a process of its own. `npm run bench:wire-meter`.
 *
 * Prints the CPU time and the time of one request, medians of all blocks, and the ratio of the two; an idle machine gives
 * steadier figures than a busy one.
 */

import { fork } from "node:child_process";
import { once } from "node:events";
import { Agent, createServer, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { WireMeter } from "../src/wire/meter.ts";

const BLOCKS = 30;
const REQUESTS_PER_BLOCK = 400;
const WARM_UP_BLOCKS = 4;

const SERVER = "server";

/** What one request of a block cost. */
interface Block {
  readonly cpuUs: number;
  readonly wallUs: number;
}

if (process.argv[2] === SERVER) await serve();
else await measureAll();

async function serve(): Promise<void> {
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () => void response.end("{}"));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  process.send?.((server.address() as AddressInfo).port);
  process.once("disconnect", () => process.exit());
}

async function measureAll(): Promise<void> {
  const child = fork(new URL(import.meta.url), [SERVER]);
  const [port] = (await once(child, "message")) as [number];
  const url = `http://127.0.0.1:${port}/things`;
  const agent = new Agent({ keepAlive: true });
  await measure("fetch", async () => {
    await (await fetch(url, { method: "POST", body: "{}" })).text();
  });
  await measure("node:http", async () => {
    const request = httpRequest(url, { method: "POST", agent });
    request.end("{}");
    const [response] = (await once(request, "response")) as [NodeJS.ReadableStream];
    response.resume();
    await once(response, "end");
  });
  agent.destroy();
  child.disconnect();
}

async function measure(name: string, send: () => Promise<void>): Promise<void> {
  const meter = new WireMeter();
  const plain: Block[] = [];
  const kinds: Readonly<Record<string, { readonly run: () => Promise<Block>; readonly blocks: Block[] }>> = {
    "nothing watched": { run: () => blockOf(send), blocks: [] },
    "a request of a watched attempt": { run: () => watchedBlock(meter, send), blocks: [] },
    "a watched attempt of one request": { run: () => blockOf(() => watchOne(meter, send)), blocks: [] },
  };
  for (let block = -WARM_UP_BLOCKS; block < BLOCKS; block += 1) {
    const without = await blockOf(send);
    if (block >= 0) plain.push(without);
    const end = meter.start();
    for (const { run, blocks } of Object.values(kinds)) {
      const metered = await run();
      if (block >= 0) blocks.push(metered);
    }
    end();
  }
  for (const [kind, { blocks }] of Object.entries(kinds)) tell(`${name}, ${kind}`, plain, blocks);
}

async function watchOne(meter: WireMeter, work: () => Promise<void>): Promise<void> {
  const attempt = {
    idempotencyKey: "case.step.1",
    signal: new AbortController().signal,
    now: Date.now,
    requestsMax: 8,
    mayRepeat: true,
    earlierKeys: [],
    onLate: () => undefined,
  };
  await meter.watch(attempt, work);
}

/** All requests of the block in one attempt: what each costs without what an attempt costs. */
async function watchedBlock(meter: WireMeter, send: () => Promise<void>): Promise<Block> {
  let block: Block = { cpuUs: 0, wallUs: 0 };
  await watchOne(meter, async () => {
    block = await blockOf(send);
  });
  return block;
}

async function blockOf(send: () => Promise<void>): Promise<Block> {
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  for (let sent = 0; sent < REQUESTS_PER_BLOCK; sent += 1) await send();
  const wallMs = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { cpuUs: (user + system) / REQUESTS_PER_BLOCK, wallUs: (wallMs * 1_000) / REQUESTS_PER_BLOCK };
}

function tell(name: string, without: readonly Block[], withMeter: readonly Block[]): void {
  const figures = (["cpuUs", "wallUs"] as const).map((what) => {
    const plain = median(without.map((one) => one[what]));
    const metered = median(withMeter.map((one) => one[what]));
    // Blocks that ran side by side are compared, so that a busy machine disturbs both alike.
    const more = median(without.map((one, index) => (withMeter[index]?.[what] ?? 0) - one[what]));
    const ratio = median(without.map((one, index) => (withMeter[index]?.[what] ?? 0) / one[what]));
    const unit = what === "cpuUs" ? "CPU" : "time";
    const change = `${more >= 0 ? "+" : ""}${more.toFixed(1)} us, x ${ratio.toFixed(3)}`;
    return `${unit} ${plain.toFixed(0)} us -> ${metered.toFixed(0)} us (${change})`;
  });
  process.stdout.write(`${name}: ${figures.join("; ")}\n`);
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
