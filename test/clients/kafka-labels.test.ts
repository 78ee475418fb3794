import {
  Kafka,
  KafkaJSConnectionError,
  KafkaJSNonRetriableError,
  KafkaJSNumberOfRetriesExceeded,
  KafkaJSProtocolError,
  KafkaJSRequestTimeoutError,
  logLevel,
} from "kafkajs";
import { createRequire } from "node:module";
import { describe, expect, test } from "vitest";
import { closedPort } from "./closed-port.ts";
import { DATABASES } from "./labels/databases.ts";
import { misjudged } from "./labels/judge.ts";
import { thrownBy } from "./listening.ts";

// The connection that is refused is real. No broker can be had here: the others are built by the client's own functions,
// from the codes of the protocol.

/** The part of kafkajs that turns a code of the protocol into an error. */
interface ProtocolErrors {
  readonly errorCodes: readonly { readonly type: string; readonly code: number }[];
  createErrorFromCode(code: number): unknown;
}

const require = createRequire(import.meta.url);
const protocol = require("kafkajs/src/protocol/error.js") as ProtocolErrors;

/** Left out of what the package offers. */
const errors = require("kafkajs/src/errors.js") as {
  readonly KafkaJSConnectionClosedError: new (
    message: string,
    where: { host: string; port: number },
  ) => Error;
};

const timedOut = new KafkaJSRequestTimeoutError("Request Produce timed out", {
  broker: "b",
  clientId: "c",
  correlationId: 1,
  createdAt: 0,
  sentAt: 0,
  pendingDuration: 0,
});
const refused = new KafkaJSConnectionError("Connection error: connect ECONNREFUSED", {
  code: "ECONNREFUSED",
});
const retries = { retryCount: 5, retryTime: 1_000 };

const BUILT: Readonly<Record<string, unknown>> = {
  "connection closed while a request was sent": new errors.KafkaJSConnectionClosedError("Closed connection", {
    host: "h",
    port: 1,
  }),
  "request timed out": timedOut,
  "retries used up, of a connection that was refused": new KafkaJSNumberOfRetriesExceeded(refused, retries),
  "retries used up, of a request that timed out": new KafkaJSNumberOfRetriesExceeded(timedOut, retries),
  "a wrong call": new KafkaJSNonRetriableError("Invalid topic"),
};

async function produce(port: number): Promise<unknown> {
  const options = { brokers: [`127.0.0.1:${port}`], retry: { retries: 0 }, logLevel: logLevel.NOTHING };
  return new Kafka(options).producer().connect();
}

async function thrownFor(situation: string): Promise<unknown> {
  if (situation === "port closed") return thrownBy(async () => produce(await closedPort()));
  if (situation in BUILT) return BUILT[situation];
  const known = protocol.errorCodes.find(({ type }) => type === situation);
  if (known !== undefined) return protocol.createErrorFromCode(known.code);
  // Newer than this client.
  return new KafkaJSProtocolError(
    Object.assign(new Error("said by the test"), { type: situation, code: 89 }),
  );
}

describe("what Kafka says", () => {
  const labels = DATABASES.filter(({ client }) => client === "kafkajs");
  test.each(labels.map((label) => [label.situation, label] as const))("%s", async (situation, label) => {
    const input = { destination: "kafka", stopped: null, now: Date.now(), evidence: null, sorters: [] };
    expect(misjudged(await thrownFor(situation), input, label.expected)).toEqual([]);
  });
});
