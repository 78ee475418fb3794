import {
  Client,
  credentials,
  Metadata,
  Server,
  ServerCredentials,
  status,
  type handleUnaryCall,
  type requestCallback,
} from "@grpc/grpc-js";
import { CallSettings, createApiCall, type GRPCCall } from "google-gax";
import { describe, expect, test } from "vitest";
import { closedPort } from "./closed-port.ts";
import { misjudged } from "./labels/judge.ts";
import type { Label } from "./labels/label.ts";
import { MAIL_AND_RPC } from "./labels/mail-and-rpc.ts";
import { thrownBy } from "./listening.ts";

// grpc-js and gax against a real gRPC server that refuses every call with the label's status.

const METHOD = "/fake.Orders/Create";
const asBuffer = (value: Buffer): Buffer => value;

async function call(port: number): Promise<unknown> {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), { "grpc.enable_retries": 0 });
  try {
    return await new Promise((resolve, reject) => {
      const done = (error: unknown, value: unknown): void =>
        error === null ? resolve(value) : reject(error);
      client.makeUnaryRequest(METHOD, asBuffer, asBuffer, Buffer.from("x"), new Metadata(), {}, done);
    });
  } finally {
    client.close();
  }
}

/** gax decodes the details of an error, and gives them to the author. */
async function callThroughGax(port: number): Promise<unknown> {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), { "grpc.enable_retries": 0 });
  // Of what gax passes on, the request is the first and the callback the last.
  const stub = ((...passed: readonly unknown[]) =>
    client.makeUnaryRequest(
      METHOD,
      asBuffer,
      asBuffer,
      passed[0] as Buffer,
      new Metadata(),
      {},
      passed.at(-1) as requestCallback<Buffer>,
    )) as unknown as GRPCCall;
  try {
    return await createApiCall(stub, new CallSettings())(Buffer.from("x"));
  } finally {
    client.close();
  }
}

/** Details as Google puts them into a trailer: a google.rpc.Status in protobuf. */
function detailsOf(code: number, what: string | undefined): Buffer | null {
  const type = /^with (RetryInfo|QuotaFailure)/.exec(what ?? "")?.[1];
  if (type === undefined) return null;
  const value =
    type === "RetryInfo"
      ? // A delay of 7 s and 500,000,000 ns.
        bytes(1, Buffer.concat([number(1, 7), number(2, 500_000_000)]))
      : // One violation with its subject.
        bytes(1, bytes(1, Buffer.from("project:p")));
  const any = Buffer.concat([
    bytes(1, Buffer.from(`type.googleapis.com/google.rpc.${type}`)),
    bytes(2, value),
  ]);
  return Buffer.concat([number(1, code), bytes(2, Buffer.from("said by the test")), bytes(3, any)]);
}

function number(field: number, value: number): Buffer {
  return Buffer.concat([varint(field << 3), varint(value)]);
}

function bytes(field: number, value: Buffer): Buffer {
  return Buffer.concat([varint((field << 3) | 2), varint(value.length), value]);
}

function varint(value: number): Buffer {
  const groups: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    groups.push((rest % 128) + (rest >= 128 ? 128 : 0));
    if (rest < 128) return Buffer.from(groups);
  }
}

async function serving<Value>(
  refuse: handleUnaryCall<Buffer, Buffer>,
  work: (port: number) => Promise<Value>,
): Promise<Value> {
  const server = new Server();
  const path = { path: METHOD, requestStream: false, responseStream: false } as const;
  const method = {
    ...path,
    requestSerialize: asBuffer,
    requestDeserialize: asBuffer,
    responseSerialize: asBuffer,
    responseDeserialize: asBuffer,
  };
  server.addService({ create: method }, { create: refuse });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  try {
    return await work(port);
  } finally {
    server.forceShutdown();
  }
}

/** A status by its number. */
function numbered(code: string | undefined): status {
  const found = Object.values(status).find((one) => Number(one) === Number(code));
  if (typeof found !== "number") throw new Error(`no status ${code}`);
  return found;
}

async function act({ client, situation }: Label): Promise<unknown> {
  if (situation === "port closed") return call(await closedPort());
  const [, code, what] = /^(\d+)(?:,? (.+))?$/.exec(situation) ?? [];
  const metadata = new Metadata();
  const pushback = /^pushback (.+)$/.exec(what ?? "")?.[1];
  if (pushback !== undefined) metadata.set("grpc-retry-pushback-ms", pushback);
  const details = detailsOf(Number(code), what);
  if (details !== null) metadata.set("grpc-status-details-bin", details);
  return serving(
    (_, done) => done({ code: numbered(code), details: "said by the test", metadata }),
    client === "gax" ? callThroughGax : call,
  );
}

describe("what a gRPC server says", () => {
  const labels = MAIL_AND_RPC.filter(({ client }) => client !== "nodemailer");
  test.each(labels.map((label) => [`${label.client}, ${label.situation}`, label] as const))(
    "%s",
    async (_, label) => {
      const thrown = await thrownBy(() => act(label));
      const input = { destination: "erp", stopped: null, now: Date.now(), evidence: null, sorters: [] };
      expect(misjudged(thrown, input, label.expected)).toEqual([]);
    },
  );
});
