/**
 * A house for the console to look at: `foothold dev` on a store in memory, with a worker, and outside systems that are a
 * real HTTP server whose moods the test sets.
 */

import { once } from "node:events";
import {
  createServer,
  request as ask,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import { text } from "node:stream/consumers";
import {
  defineCase,
  defineDestination,
  defineSchedule,
  expectOk,
  type CaseType,
  type RunContext,
  type Schedule,
} from "foothold";
import { startDev, type Dev } from "foothold/dev";
import { defineSource, PRESETS, signRequest, tellCase, type Source } from "foothold/inbox";
import { memoryStore } from "foothold/memory";
import { z } from "zod";
import type { AttemptCounts } from "../../src/core/attempt-counts.ts";
import { BUILT_IN_ROLES } from "../../src/core/rights.ts";
import type { OidcOptions } from "../../src/define/config.ts";
import { registryOf } from "../../src/define/registry.ts";
import { systemPorts } from "../../src/engine/system.ts";
import { cookieRules, peopleSignIn } from "../../src/http/api/identity.ts";
import { createApp } from "../../src/http/app.ts";
import type { Reach } from "../../src/http/loopback.ts";
import { startServer } from "../../src/http/server.ts";
import { addPerson } from "../../src/people/people.ts";

/** What the outside systems do to requests. */
interface Moods {
  /** Vendors that the ERP does not know: it refuses them, naming the field. */
  readonly unknownVendors: Set<string>;
  /** True = the warehouse answers 401. */
  isWarehouseLocked: boolean;
  /** True = the mail service answers 503. */
  isMailDown: boolean;
}

/** The house. */
export interface World {
  readonly url: string;
  readonly dev: Dev;
  readonly moods: Moods;
  /** Starts an order; its business key names it on the screen. */
  start(businessKey: string, input: OrderInput): Promise<string>;
  /** The same, and its approval is given. */
  startApproved(businessKey: string, input: OrderInput): Promise<string>;
  /** Keeps a sample of another time: so many cases that wait for people, twice as many that go on, as many held back. */
  sample(at: number, cases: number): Promise<void>;
  /** Keeps what another worker tried at the warehouse in the quarter of an hour that began then. */
  tried(fromAt: number, counts: AttemptCounts): Promise<void>;
  /** What is on record of acts on a case, newest first. */
  audited(caseId: string): ReturnType<ReturnType<typeof memoryStore>["audit"]["list"]>;
  /** Posts an event of the shop, signed as it signs them. */
  post(event: PostedEvent): Promise<void>;
  /** A second server over the same cases, where people sign in; its address. */
  serve(person: {
    readonly name: string;
    readonly password: string;
    readonly roles?: readonly string[];
  }): Promise<string>;
  /** A third one at a public address, where an identity provider signs people in too; its address, for reads only. */
  servePublic(): Promise<string>;
  /** The same server below a path of another address, as a proxy in front would have it; reads only. */
  below(path: string): Promise<string>;
  stop(): Promise<void>;
}

const Order = z.object({
  item: z.string().min(1),
  vendor: z.string().min(1),
  amount: z.number().positive(),
  isUrgent: z.boolean().default(false),
  note: z.string().optional(),
  card: z.string().optional(),
});

/** What an order starts with. */
type OrderInput = z.input<typeof Order>;

/** Case types beside the orders, which send to the outside systems at this address. */
export type FurtherCases = (url: string) => readonly CaseType[];

/** Opens it, with nothing in it. */
export async function openWorld(further: FurtherCases = () => []): Promise<World> {
  const moods: Moods = { unknownVendors: new Set(), isWarehouseLocked: false, isMailDown: false };
  const outside = createServer((request, response) => void answer(moods, request, response));
  outside.listen(0, "127.0.0.1");
  await once(outside, "listening");
  const store = memoryStore();
  const order = defineOrder(urlOf(outside));
  const caseTypes = [order, ...further(urlOf(outside))];
  const shop = defineShop(order);
  const dev = await startDev({
    store,
    cases: caseTypes,
    schedules: [onLeapDay("leap-day", order, 700), onLeapDay("broken", order, -1)],
    sources: [shop],
    port: 0,
    name: "w-1",
    leaseMs: 3_000,
  });
  const closing: (() => Promise<void>)[] = [];
  const start = async (businessKey: string, input: OrderInput): Promise<string> => {
    const { caseId } = await dev.desk.startCase("order", input, { businessKey, by: "kim" });
    return caseId;
  };
  const serveAt = async (reach: Reach, oidc: OidcOptions | null): Promise<string> => {
    const cookie = cookieRules(reach.kind === "public");
    const app = createApp({
      desk: dev.desk,
      store,
      registry: registryOf(caseTypes),
      ports: systemPorts(),
      sources: [shop],
      formatTime: (at) => new Date(at).toISOString(),
      roles: BUILT_IN_ROLES,
      signIn: peopleSignIn(store.people, BUILT_IN_ROLES, cookie),
      cookie,
      reach,
      oidc,
      served: { host: "host-1", build: "build-1" },
    });
    const server = await startServer({ app, host: "127.0.0.1", port: 0, reach });
    closing.push(() => server.close());
    return server.url;
  };
  return {
    url: dev.url,
    dev,
    moods,
    start,
    startApproved: async (businessKey, input) => {
      const caseId = await start(businessKey, input);
      const form = { limit: 10_000 };
      await dev.desk.answerApproval(caseId, {
        step: "approve",
        approved: true,
        form,
        by: "fatima",
        sourceId: "a",
      });
      return caseId;
    },
    sample: (at, cases) =>
      store.samples.write({
        at,
        states: [
          { caseType: "order", reading: "Needs review", cases, oldestAt: at - cases * 600_000 },
          { caseType: "order", reading: "Will retry", cases: 2 * cases, oldestAt: at - 60_000 },
        ],
        destinations: [
          {
            destination: "warehouse",
            credentialId: "warehouse-api-key",
            limit: 4,
            inFlight: 2,
            heldBack: cases,
            standing: "throttled",
          },
        ],
        isWhole: true,
      }),
    tried: (fromAt, counts) =>
      store.samples.tellAttempts("w-9", [
        { fromAt, destination: "warehouse", credentialId: "warehouse-api-key", ...counts },
      ]),
    audited: (caseId) => store.audit.list({ limit: 10, caseId }),
    post: (event) => post(`${dev.url}/inbox/shop`, event),
    serve: async ({ name, password, roles = ["operator"] }) => {
      const { ids } = systemPorts();
      const parts = { people: store.people, roles: BUILT_IN_ROLES, ids, by: "root" };
      await addPerson(parts, { name, password, roles });
      return serveAt({ kind: "loopback" }, null);
    },
    servePublic: async () => {
      const host = "foothold.example.com";
      const issuer = "https://identity.example.com";
      const url = await serveAt(
        { kind: "public", origin: `https://${host}` },
        { issuer, clientId: "foothold", clientSecret: () => secret },
      );
      return proxyTo({ url, host, path: "", closing });
    },
    below: (path) => proxyTo({ url: dev.url, host: new URL(dev.url).host, path, closing }),
    stop: async () => {
      for (const close of closing) await close();
      await dev.stop();
      await store.close();
      outside.closeAllConnections();
      await new Promise((resolve) => outside.close(resolve));
    },
  };
}

/** A server in front of another one, which knows itself by its own name alone. Its address. */
async function proxyTo({
  url,
  host,
  path,
  closing,
}: {
  readonly url: string;
  readonly host: string;
  readonly path: string;
  readonly closing: (() => Promise<void>)[];
}): Promise<string> {
  const proxy = createServer((asked, response) => {
    const { origin: _, ...headers } = asked.headers;
    const target = `${url}${(asked.url ?? "").slice(path.length)}`;
    const forwarded = ask(target, { headers: { ...headers, host } }, (answered) => {
      response.writeHead(answered.statusCode ?? 502, answered.headers);
      answered.pipe(response);
    });
    response.once("close", () => forwarded.destroy());
    forwarded.on("error", () => response.destroy());
    forwarded.end();
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  closing.push(async () => {
    proxy.closeAllConnections();
    await new Promise((resolve) => proxy.close(resolve));
  });
  return `${urlOf(proxy)}${path}`;
}

function urlOf(server: Server): string {
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("the outside systems do not listen");
  return `http://127.0.0.1:${address.port}`;
}

const secret = "shh-this-is-a-test";

/** An event; the body is its JSON, or these very bytes. */
interface PostedEvent {
  readonly id: string;
  readonly eventType: string;
  readonly body: object | string;
}

/** A schedule whose next slot is far: what it starts before then, somebody ordered. */
function onLeapDay(name: string, order: CaseType<OrderInput>, amount: number): Schedule {
  return defineSchedule(name, {
    starts: order,
    cron: "0 6 29 2 *",
    timeZone: "Europe/Berlin",
    input: () => ({ item: "12 lamps", vendor: "Lumen", amount }),
  });
}

/** A source that tells orders of revoked approvals. */
function defineShop(order: CaseType): Source {
  return defineSource("shop", {
    preset: "hmac",
    owner: "shop-team",
    secrets: () => secret,
    bodyBytesMax: 8 * 1024 * 1024,
    consumers: {
      revoke: tellCase(order, {
        on: "approval.revoked",
        as: "approval.revoked",
        key: ({ data }) => Keyed.parse(data).order,
      }),
    },
  });
}

const Keyed = z.object({ order: z.string() });

async function post(url: string, { id, eventType, body }: PostedEvent): Promise<void> {
  const bytes = Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  const headers = signRequest(PRESETS.hmac, {
    method: "POST",
    url,
    body: bytes,
    secret,
    at: Date.now(),
    id,
    eventType,
  });
  const { status } = await fetch(url, { method: "POST", headers, body: bytes });
  if (status >= 300) throw new Error(`the inbox answered ${status}`);
}

/** approve -> reserve and createRecord side by side -> notify. */
function defineOrder(url: string) {
  const owners = { access: "erp-admins", input: "purchasing", outage: "platform" };
  const erp = defineDestination("erp", {
    idempotency: { by: "key", window: "24h" },
    credential: () => "erp-service-account",
    owners,
  });
  const warehouse = defineDestination("warehouse", {
    idempotency: { by: "key", window: "24h" },
    credential: () => "warehouse-api-key",
    owners: { ...owners, access: "warehouse-admins" },
  });
  const mail = defineDestination("mail", {
    idempotency: { by: "key", window: "24h" },
    owners: { outage: "platform" },
    retry: { firstDelay: "30s" },
  });
  const Answer = z.object({ id: z.string() });
  return defineCase("order", {
    version: 1,
    owner: "purchasing",
    input: Order,
    masked: ["card"],
    attributes: { vendor: "text", amount: "number" },
    events: { "approval.revoked": z.object({ reason: z.string() }) },
  })
    .approval("approve", {
      by: "finance",
      form: z.object({ limit: z.number().positive() }),
      expires: "3d",
      uses: ["item"],
    })
    .step("createRecord", {
      to: erp,
      after: ["approve"],
      requires: {
        "approval still stands": ({ events }) =>
          events.latest("approval.revoked", { after: "approve" }) === null,
      },
      request: ({ input }) => ({ vendor: input.vendor, amount: input.amount }),
      run: (context) => send(`${url}/records`, context),
      result: Answer,
    })
    .step("reserve", {
      to: warehouse,
      after: ["approve"],
      uses: ["item"],
      request: ({ input }) => ({ item: input.item }),
      run: (context) => send(`${url}/reservations`, context),
      result: Answer,
    })
    .step("notify", {
      to: mail,
      after: ["createRecord", "reserve"],
      request: ({ input, results }) => ({
        subject: `Ordered: ${input.item}`,
        record: results.createRecord.id,
      }),
      run: (context) => send(`${url}/messages`, context),
      result: Answer,
    });
}

/** Sends a request as JSON, and gives what is answered. */
export async function send(
  url: string,
  { request, idempotencyKey, signal }: Pick<RunContext, "request" | "idempotencyKey" | "signal">,
): Promise<unknown> {
  const headers = { "content-type": "application/json", "idempotency-key": idempotencyKey };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(request), signal });
  await expectOk(response);
  return response.json();
}

async function answer(moods: Moods, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = z.looseObject({ vendor: z.string().optional() }).parse(JSON.parse(await text(request)));
  const say = (status: number, value: object): void => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
  };
  if (request.url === "/reservations" && moods.isWarehouseLocked)
    return say(401, { error: "the key was revoked" });
  if (request.url === "/messages" && moods.isMailDown) return say(503, { error: "down" });
  if (body.vendor !== undefined && moods.unknownVendors.has(body.vendor)) {
    const errors = [{ field: "vendor", message: `${body.vendor} is no vendor of ours` }];
    return say(422, { title: "The record was refused", errors });
  }
  return say(201, { id: `id-${String(request.headers["idempotency-key"])}` });
}
