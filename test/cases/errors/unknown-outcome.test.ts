import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defineCase } from "../../../src/define/builder.ts";
import { defineDestination } from "../../../src/define/destination.ts";
import { BadServer } from "../../clients/bad-server.ts";
import { thrownBy } from "../../clients/listening.ts";
import { PLAIN_CLIENTS } from "../../clients/plain-clients.ts";
import { PROVIDER_CLIENTS } from "../../clients/provider-clients.ts";
import { createIssue } from "../../clients/retrying-clients.ts";
import { input, look, post, worldsOn } from "../../engine/world.ts";
import { seen, sent, sort } from "./sorting.ts";

const server = new BadServer();
beforeAll(() => server.start());
afterAll(() => server.stop());

const worlds = worldsOn("memory");

describe("unknown outcome and hidden retries", () => {
  test("1: a write that was sent whole and never answered is unknown, whatever the error says", () => {
    expect(sort(new Error("server disconnected"), seen(sent()))).toMatchObject({
      kind: "unknown",
      executed: "maybe",
      cause: "transient",
    });
  });

  test("5: a reset of the connect proves that nothing was sent, any other reset proves nothing", () => {
    const reset = { code: "ECONNRESET" };
    expect(sort({ ...reset, syscall: "connect" })).toMatchObject({ kind: "transient", executed: "no" });
    expect(sort({ ...reset, syscall: "read" })).toMatchObject({ kind: "unknown", executed: "maybe" });
    expect(sort({ ...reset, message: "socket hang up" })).toMatchObject({
      kind: "unknown",
      executed: "maybe",
    });
  });

  test("7: axios calls a cut 201 a bad response; it executed, and is never taken for a 5xx", async () => {
    server.behave({ kind: "cut" });
    const thrown = await thrownBy(async () => PLAIN_CLIENTS["axios"]?.(server.url, "POST", 10_000));
    expect(thrown).toMatchObject({ code: "ERR_BAD_RESPONSE", response: { status: 201 } });
    for (const evidence of [null, server.evidence("POST")]) {
      expect(sort(thrown, evidence)).toMatchObject({ kind: "unknown", executed: "yes", rule: "http.201" });
    }
  });

  test("9: Octokit gives a network failure the status 500, after it sent a POST four times", async () => {
    server.behave({ kind: "reset" });
    const thrown = await thrownBy(() => createIssue(server.url, fetch));
    expect(thrown).toMatchObject({ name: "HttpError", status: 500 });
    expect(server.reachedCount).toBe(4);
    for (const evidence of [null, server.evidence("POST")]) {
      const failure = sort(thrown, evidence);
      expect(failure).toMatchObject({ kind: "unknown", executed: "maybe" });
      expect(failure.sentence).not.toContain("500");
    }
  });

  test("11: Slack's internal_error stands in a 200, and parts of it may have succeeded", async () => {
    server.behave({ kind: "answer", answer: { status: 200, body: { ok: false, error: "internal_error" } } });
    const thrown = await thrownBy(async () => PROVIDER_CLIENTS["slack"]?.(server.url, "POST", 10_000));
    expect(sort(thrown, server.evidence("POST"))).toMatchObject({ kind: "unknown", executed: "maybe" });
  });

  test("15: a create that timed out and then exists is looked up and adopted, and not created again", async () => {
    const world = await worlds.open();
    const destination = await world.destination({ deduplicates: false });
    const erp = defineDestination("erp", { idempotency: { by: "unique" }, retry: { firstDelay: "10ms" } });
    const order = defineCase("order", { version: 1, owner: "ops", input }).step("create", {
      to: erp,
      deadline: "300ms",
      run: post(destination, "/connections"),
      check: look(destination),
    });
    destination.script("/connections", "staySilent", {
      status: 409,
      body: { message: "connection already exists" },
    });
    await world.worker([order]);
    const caseId = await world.start(order);
    await world.rests(caseId, "done");
    const failures = (await world.entries(caseId)).filter((one) => one.kind === "attemptFailed");
    expect(failures.map(({ failure }) => [failure.kind, failure.executed])).toEqual([
      ["unknown", "maybe"],
      ["conflict", "no"],
    ]);
    expect(destination.effects).toHaveLength(1);
    expect(destination.requests.filter(({ method }) => method === "POST")).toHaveLength(2);
  });
});
