import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rpcDetails } from "./rpc-details.ts";
import { sortFailure } from "./sort.ts";

// Made with the protobuf compiler's own encoding, by hand: tag, length, value.
const type = (name: string): Buffer => Buffer.from(`type.googleapis.com/google.rpc.${name}`);
const message = (number: number, value: Buffer): Buffer =>
  Buffer.concat([Buffer.from([(number << 3) | 2, value.length]), value]);
const detail = (name: string, value: Buffer): Buffer =>
  message(3, Buffer.concat([message(1, type(name)), message(2, value)]));
const violation = (place: string, what: string): Buffer =>
  message(1, Buffer.concat([message(1, Buffer.from(place)), message(2, Buffer.from(what))]));
const badRequest = detail("BadRequest", violation("order.amount", "must be positive"));

describe("details of a gRPC status", () => {
  test("are read as google-gax decodes them", () => {
    const retry = detail("RetryInfo", message(1, Buffer.from([0x08, 0x96, 0x01, 0x10, 0x05])));
    const quota = detail("QuotaFailure", violation("project:p", "per day"));
    const unknown = detail("DebugInfo", Buffer.from([0x0a, 0x00]));
    const status = Buffer.concat([Buffer.from([0x08, 0x08]), retry, quota, unknown, badRequest]);
    expect(rpcDetails(status)).toEqual([
      { "@type": type("RetryInfo").toString(), retryDelay: { seconds: 150, nanos: 5 } },
      {
        "@type": type("QuotaFailure").toString(),
        violations: [{ subject: "project:p", description: "per day" }],
      },
      {
        "@type": type("BadRequest").toString(),
        fieldViolations: [{ field: "order.amount", description: "must be positive" }],
      },
    ]);
  });

  test("name the fields that are wrong to whoever corrects them", () => {
    const trailers = new Map<string, unknown>([["grpc-status-details-bin", badRequest]]);
    const metadata = { get: (name: string) => [trailers.get(name)].filter((one) => one !== undefined) };
    const thrown = Object.assign(new Error("3 INVALID_ARGUMENT"), { code: 3, details: "no", metadata });
    const input = { destination: "erp", stopped: null, now: 0, evidence: null, sorters: [] };
    expect(sortFailure(thrown, input)).toMatchObject({
      kind: "rejected",
      fields: [{ path: "order.amount", message: "must be positive" }],
    });
  });

  test("are none where the bytes are cut, too many, or anything else", () => {
    expect(rpcDetails(badRequest.subarray(0, badRequest.length - 3))).toBeNull();
    expect(rpcDetails(Buffer.concat([badRequest, Buffer.alloc(16_384)]))).toBeNull();
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const found = rpcDetails(bytes);
        expect(found === null || Array.isArray(found)).toBe(true);
      }),
    );
  });
});
