/**
 * How many deliveries the inbox takes in a second, beside the least that a receiver can be: a bare fastify handler with
 * one upsert. Both in processes of their own, on the same PostgreSQL, with a pool of 10 and 64 connections, each delivery
 * committed with synchronous_commit on. The inbox verifies, stores the bytes, the event and its work. `npm run
 * bench:intake`.
 *
 * The two take turns; medians of the rounds and their ratio are printed. An idle machine gives steadier figures.
 */

import { fork, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { Agent, request } from "node:http";
import { PRESETS, signRequest } from "../src/inbox.ts";
import { findTestBinaries, startServer } from "../test/setup/server.ts";

const CONNECTIONS = 64;
const ROUNDS = 5;
const ROUND_MS = 3_000;
const WARM_UP_MS = 1_500;

const metadata: Readonly<Record<string, string>> = Object.fromEntries(
  Array.from({ length: 20 }, (_, index) => [`field_${index}`, "a value of some length, as such fields have"]),
);

interface Subject {
  readonly kind: "inbox" | "bare";
  readonly child: ChildProcess;
  readonly port: number;
  readonly rates: number[];
}

const server = await startServer(await findTestBinaries());
const subjects: Subject[] = [];
try {
  for (const kind of ["bare", "inbox"] as const) subjects.push(await start(kind, server.url));
  for (const subject of subjects) await drive(subject, WARM_UP_MS);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const subject of subjects) subject.rates.push(await drive(subject, ROUND_MS));
  }
  const [bare = 0, inbox = 0] = subjects.map(({ rates }) => median(rates));
  process.stdout.write(
    `bare ${bare.toFixed(0)}/s, inbox ${inbox.toFixed(0)}/s, ratio ${(inbox / bare).toFixed(2)}\n`,
  );
} finally {
  for (const { child } of subjects) child.kill("SIGKILL");
  await server.stop();
}

async function start(kind: Subject["kind"], url: string): Promise<Subject> {
  const child = fork(new URL("intake-server.ts", import.meta.url), [kind, url], {
    stdio: ["ignore", "pipe", "inherit", "ipc"],
    execArgv: process.execArgv,
  });
  const port = await new Promise<number>((resolve, reject) => {
    child.stdout?.once("data", (data: Buffer) => resolve(Number(data.toString("utf8"))));
    child.once("exit", () => reject(new Error(`the ${kind} server ended`)));
  });
  return { kind, child, port, rates: [] };
}

/** Deliveries answered with 202 in a second. */
async function drive({ port }: Subject, forMs: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const until = performance.now() + forMs;
  let count = 0;
  const sender = async (): Promise<void> => {
    while (performance.now() < until) {
      await send(agent, port);
      count += 1;
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: CONNECTIONS }, sender));
  agent.destroy();
  return (count * 1_000) / (performance.now() - startedAt);
}

/** A payment as Stripe tells it, of the usual size. */
function send(agent: Agent, port: number): Promise<void> {
  const id = `evt_${randomUUID()}`;
  const object = {
    id: `pi_${id}`,
    object: "payment_intent",
    amount: 2_000,
    currency: "eur",
    metadata: metadata,
  };
  const body = Buffer.from(
    JSON.stringify({
      id,
      object: "event",
      type: "payment_intent.succeeded",
      created: 1_700_000_000,
      data: { object },
    }),
  );
  const headers = signRequest(PRESETS.stripe, {
    method: "POST",
    url: "",
    body,
    secret: "whsec_bench",
    at: Date.now(),
    id,
    eventType: "",
  });
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        agent,
        port,
        host: "127.0.0.1",
        path: "/inbox/bench",
        method: "POST",
        headers: { ...headers, "content-length": body.length },
      },
      (response) => {
        response.resume();
        response.once("end", () => {
          if (response.statusCode === 202) resolve();
          else reject(new Error(`answered ${response.statusCode}`));
        });
      },
    );
    sent.once("error", reject);
    sent.end(body);
  });
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
