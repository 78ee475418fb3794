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
import { connect } from "node:net";
import { PRESETS, signRequest } from "../src/inbox.ts";
import { findTestBinaries, startServer } from "../test/setup/server.ts";

const CONNECTIONS = 64;
const ROUNDS = 5;
const ROUND_MS = 3_000;
const WARM_UP_MS = 1_500;
/** Deliveries in a second that are written for a round: more than either can take. */
const RATE_MAX = 25_000;

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

/** Deliveries answered with 202 in a second. What is sent is written before, so that signing it costs no server time. */
async function drive({ port }: Subject, forMs: number): Promise<number> {
  const requests = written(forMs);
  const startedAt = performance.now();
  const until = startedAt + forMs;
  let count = 0;
  const next = (): Buffer | null => {
    if (performance.now() >= until) return null;
    const request = requests[count];
    count += 1;
    if (request === undefined) throw new Error(`more than ${requests.length} deliveries went into one round`);
    return request;
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, () => keepSending(port, next)));
  return (count * 1_000) / (performance.now() - startedAt);
}

/** One connection that is kept alive, with one request under way. */
function keepSending(port: number, next: () => Buffer | null): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    let answer = "";
    const send = (): void => {
      const request = next();
      if (request !== null) socket.write(request);
      else socket.end(resolve);
    };
    socket.once("connect", send);
    socket.once("error", reject);
    socket.setEncoding("latin1");
    socket.on("data", (text: string) => {
      answer += text;
      // Both answer without a body.
      if (!answer.endsWith("\r\n\r\n")) return;
      if (!answer.startsWith("HTTP/1.1 202")) return reject(new Error(`answered ${answer.slice(0, 40)}`));
      answer = "";
      send();
    });
  });
}

/** Signed payments as Stripe tells them, of the usual size; each tenth is sent a second time. */
function written(forMs: number): readonly Buffer[] {
  const requests: Buffer[] = [];
  for (let index = 0; index < (RATE_MAX * forMs) / 1_000; index += 1) {
    const earlier = requests[index - CONNECTIONS * 2];
    requests.push(index % 10 === 9 && earlier !== undefined ? earlier : writeRequest());
  }
  return requests;
}

function writeRequest(): Buffer {
  const id = `evt_${randomUUID()}`;
  const object = { id: `pi_${id}`, object: "payment_intent", amount: 2_000, currency: "eur", metadata };
  const event = { id, object: "event", type: "payment_intent.succeeded", created: 1_700_000_000 };
  const body = Buffer.from(JSON.stringify({ ...event, data: { object } }));
  const signing = { method: "POST", url: "", body, secret: "whsec_bench", at: Date.now(), id, eventType: "" };
  const headers = {
    host: "127.0.0.1",
    ...signRequest(PRESETS.stripe, signing),
    "content-length": body.length,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`POST /inbox/bench HTTP/1.1\r\n${lines.join("")}\r\n`), body]);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
