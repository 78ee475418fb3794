/**
 * For each kind of failure a case is driven from its first error to done through the HTTP API of a real server, with real
 * workers and a real destination, by people who sign in with tokens of their roles.
 */

import { createServer, type Server } from "node:http";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import type { FootholdError } from "../../src/core/errors.ts";
import { BUILT_IN_ROLES } from "../../src/core/rights.ts";
import type { ReviewReason } from "../../src/core/journal.ts";
import { defineCase } from "../../src/define/builder.ts";
import type { CaseType } from "../../src/define/case-type.ts";
import { defineDestination, type DestinationOptions } from "../../src/define/destination.ts";
import { registryOf } from "../../src/define/registry.ts";
import { createDesk } from "../../src/desk/desk.ts";
import { refusalOf } from "../../src/desk/refusal.fixture.ts";
import { systemPorts } from "../../src/engine/system.ts";
import { ENGINE_VERSION } from "../../src/engine/version.ts";
import { createClient, type Client } from "../../src/http/client/client.ts";
import { startParts, type Parts } from "../../src/cli/parts.ts";
import { listenOn } from "../../src/notices/listening.fixture.ts";
import { addPerson, createToken } from "../../src/people/people.ts";
import { postgresStore } from "../../src/store/postgres/store.ts";
import type { Store } from "../../src/store/port.ts";
import { expectOk } from "../../src/triage/response.ts";
import { until } from "../engine/world.ts";
import { input } from "../engine/steps.ts";
import { createTestDatabase, type TestDatabase } from "../setup/database.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** What the destination answers until it is mended; `silent` = it takes the request and says nothing. */
type Answer =
  { readonly status: number; readonly body?: object; readonly headers?: Record<string, string> } | "silent";

/** How a kind is driven. */
interface Drive {
  readonly kind: string;
  readonly answer: Answer;
  readonly destination?: Partial<DestinationOptions>;
  /** What people are asked for; null = the engine gets over it by itself. */
  readonly review: { readonly reason: ReviewReason; readonly owner: string } | null;
  /** Whether the destination must be mended before the act. */
  readonly isMended: boolean;
  /** The role that may, and one that may not. */
  readonly role: "operator" | "admin";
  readonly act: (client: Client, caseId: string, plan: string) => Promise<unknown>;
}

const owners = { access: "erp-admins", input: "purchasing", outage: "platform" };
const reason = "looked at it";
const resume: Drive["act"] = (client, caseId, plan) => client.resumeCase({ caseId, reason }, { plan });
const confirm: Drive["act"] = (client, caseId, plan) =>
  client.confirmStep({ caseId, step: "send", reason, result: null }, { plan });
const correct: Drive["act"] = (client, caseId, plan) =>
  client.correctInput({ caseId, input: { amount: 2 }, reason }, { plan });
const restore: Drive["act"] = (client) => client.restoreAccess({ destination: "denied", reason });
const restoreQuota: Drive["act"] = (client) => client.restoreAccess({ destination: "quota", reason });
const none: Drive["act"] = () => Promise.reject(new Error("nobody is needed"));
const noKey = { idempotency: { by: "none" } } as const;
const twice = { retry: { maxAttempts: 2, firstDelay: 10 } } as const;

const drives: readonly Drive[] = [
  {
    kind: "transient",
    answer: { status: 503, headers: { "retry-after": "1" } },
    destination: twice,
    review: { reason: "limit", owner: "platform" },
    isMended: true,
    role: "operator",
    act: resume,
  },
  {
    kind: "throttled",
    answer: { status: 429, headers: { "retry-after": "1" } },
    review: null,
    isMended: true,
    role: "operator",
    act: none,
  },
  {
    kind: "quota",
    answer: { status: 429, body: { code: "insufficient_quota" } },
    review: { reason: "quota", owner: "erp-admins" },
    isMended: true,
    role: "operator",
    act: restoreQuota,
  },
  {
    kind: "unknown",
    answer: "silent",
    destination: noKey,
    review: { reason: "unknown", owner: "platform" },
    isMended: false,
    role: "admin",
    act: confirm,
  },
  {
    kind: "stopped",
    answer: "silent",
    review: null,
    isMended: true,
    role: "operator",
    act: none,
  },
  {
    kind: "rejected",
    answer: { status: 422, body: { errors: [{ path: "amount", message: "too small" }] } },
    review: { reason: "rejected", owner: "purchasing" },
    isMended: true,
    role: "operator",
    act: correct,
  },
  {
    kind: "denied",
    answer: { status: 401 },
    review: { reason: "denied", owner: "erp-admins" },
    isMended: true,
    role: "operator",
    act: restore,
  },
  {
    kind: "conflict",
    answer: { status: 409, body: { code: "already_exists" } },
    review: { reason: "conflict", owner: "platform" },
    isMended: false,
    role: "admin",
    act: confirm,
  },
  {
    kind: "precondition",
    answer: { status: 412 },
    review: { reason: "precondition", owner: "ops" },
    isMended: true,
    role: "operator",
    act: resume,
  },
  {
    kind: "gone",
    answer: { status: 404 },
    review: { reason: "gone", owner: "platform" },
    isMended: true,
    role: "operator",
    act: resume,
  },
  {
    kind: "bug",
    answer: { status: 405 },
    review: { reason: "bug", owner: "ops" },
    isMended: true,
    role: "operator",
    act: resume,
  },
];

const mended = new Set<string>();
const server: Server = createServer((request, response) => {
  request.resume();
  const kind = (request.url ?? "").slice(1);
  const answer = mended.has(kind) ? { status: 200 } : drives.find((one) => one.kind === kind)?.answer;
  if (answer === undefined || answer === "silent") return;
  const headers = { "content-type": "application/json", ...answer.headers };
  response.writeHead(answer.status, headers).end(JSON.stringify(answer.body ?? {}));
});

function caseTypeOf({ kind, destination }: Drive, url: string): CaseType {
  const to = defineDestination(kind, { idempotency: { by: "key", window: "24h" }, owners, ...destination });
  const events = { halted: z.boolean() };
  return defineCase(`case-${kind}`, { version: 1, owner: "ops", input, events }).step("send", {
    to,
    requires: { "nobody halted it": ({ events: told }) => told.latest("halted")?.payload !== true },
    deadline: "1s",
    run: async ({ signal }) => {
      await expectOk(await fetch(`${url}/${kind}`, { method: "POST", signal }));
      return null;
    },
  });
}

let database: TestDatabase;
let store: Store;
let parts: Parts;
let closeServer: () => Promise<void>;
const clients = new Map<string, Client>();

beforeAll(async () => {
  database = await createTestDatabase();
  store = postgresStore({ url: database.url });
  await store.migrate();
  const { port, close } = await listenOn(server);
  closeServer = close;
  const registry = registryOf(drives.map((drive) => caseTypeOf(drive, `http://127.0.0.1:${port}`)));
  const ports = systemPorts();
  const served = { host: "test", build: "1" };
  parts = await startParts({
    store,
    registry,
    ports,
    roles: BUILT_IN_ROLES,
    desk: createDesk({ store, registry, ports, engineVersion: ENGINE_VERSION }),
    server: { host: "127.0.0.1", port: 0, reach: { kind: "loopback" }, everybody: null, served },
    worker: { name: "w-1", host: "test", build: "1", leaseMs: 3_000 },
    onReport: () => undefined,
    onError: () => undefined,
  });
  const people = { people: store.people, roles: BUILT_IN_ROLES, ids: ports.ids, by: "setup" };
  for (const [name, role] of [
    ["vic", "viewer"],
    ["oli", "operator"],
    ["olga", "operator"],
    ["amy", "approver"],
    ["alex", "admin"],
    ["anna", "admin"],
  ] as const) {
    await addPerson(people, { name, roles: [role], password: null });
    const { secret } = await createToken(people, { label: "t", person: name, scopes: [], lastsMs: null });
    clients.set(name, createClient({ baseUrl: parts.server?.url ?? "", token: secret }));
  }
});
afterAll(async () => {
  await parts.stop();
  await store.close();
  await closeServer();
  await database.drop();
});

function as(name: string): Client {
  const client = clients.get(name);
  if (client === undefined) throw new Error(`there is no ${name}`);
  return client;
}

/** A case in review, or one that is done. */
async function restsIn(caseId: string, wanted: "review" | "done"): Promise<void> {
  await until(`case ${caseId} to be ${wanted}`, async () => {
    const { reading, reviews } = await as("vic").showCase({ caseId });
    return wanted === "done" ? reading.actsNext === "nobody" : reviews.length > 0;
  });
}

/** The plan version of a case that waits for people again. */
async function planOf(caseId: string): Promise<string> {
  let version = "";
  await until(`case ${caseId} to wait for people`, async () => {
    const { storedState, plan } = await as("vic").showCase({ caseId });
    version = plan?.version ?? "";
    return storedState === "in_review";
  });
  return version;
}

/** Who may, another who may, and everybody of a role that may not. */
const CREWS = {
  admin: { right: "alex", second: "anna", wrong: ["oli", "vic", "amy"] },
  operator: { right: "oli", second: "olga", wrong: ["vic", "amy"] },
} as const;
/** What comes too late is refused with one of these. */
const LATE: readonly string[] = ["PLAN_CHANGED", "CASE_CLAIMED", "NOT_IN_REVIEW", "CASE_CLOSED"];

describe("a case is driven from its first error to done by the right role, and by no other", () => {
  test.each(drives)("$kind", async ({ kind, review, isMended, role, act }) => {
    const { caseId } = await as("oli").startCase({ type: `case-${kind}`, input: { amount: 1 } });
    if (review === null) {
      await until("the first error", async () => (await as("vic").showCase({ caseId })).lastError !== null);
      mended.add(kind);
      await restsIn(caseId, "done");
      return;
    }
    await restsIn(caseId, "review");
    const seen = await as("vic").showCase({ caseId });
    expect(seen.reviews).toMatchObject([review]);
    expect(seen.headline).toContain(review.owner);
    expect(seen.lastError?.failure.kind).toBe(kind);
    const { right, second, wrong } = CREWS[role];
    const isBound = act !== restore && act !== restoreQuota;
    if (isMended) mended.add(kind);
    for (const name of wrong) {
      const refusal = await refusalOf(act(as(name), caseId, seen.plan?.version ?? ""));
      expect(refusal.code).toBe("NOT_ALLOWED");
      expect(refusal.message).toContain(`${name} (t) has not the right`);
    }
    const late: FootholdError[] = [];
    if (isBound) {
      late.push(await refusalOf(act(as(right), caseId, "p1.0000000000000000")));
      await as("oli").tellEvent({ caseId, eventType: "halted", payload: true });
      late.push(await refusalOf(act(as(right), caseId, seen.plan?.version ?? "")));
      await as("oli").tellEvent({ caseId, eventType: "halted", payload: false });
    }
    const plan = await planOf(caseId);
    await act(as(right), caseId, plan);
    if (isBound) late.push(await refusalOf(act(as(second), caseId, plan)));
    await restsIn(caseId, "done");
    // Refused are a plan that nobody saw, one from before an event that is not seen yet, and whoever comes second.
    expect(late.filter(({ code }) => !LATE.includes(code))).toEqual([]);
    expect(late).toHaveLength(isBound ? 3 : 0);
    for (const { message } of late) expect(message).toMatch(/^[A-Z][^{}]+\.$/);
    const { history } = await as("vic").showCase({ caseId });
    expect(JSON.stringify(history)).toContain(right);
  });
});
