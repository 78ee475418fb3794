import { randomUUID } from "node:crypto";
import { createServer, type Server } from "node:http";
import { Client } from "pg";
import {
  createDesk,
  createSweep,
  createWorker,
  defineCase,
  defineDestination,
  defineEvent,
  ENGINE_VERSION,
  happened,
  didNotHappen,
  registryOf,
  systemPorts,
  type CaseType,
  type Desk,
  type Registry,
  type Worker,
} from "foothold";
import {
  createInbox,
  defineSource,
  PRESETS,
  signRequest,
  tellCase,
  type Inbox,
  type InboxReport,
  type InboxWorker,
  type SourceOptions,
} from "foothold/inbox";
import { postgresStore } from "foothold/postgres";
import { z } from "zod";
import type { EventHistory } from "../../src/store/inbox-port.ts";
import type { Store } from "../../src/store/port.ts";
import { createTestDatabase, type TestDatabase } from "../setup/database.ts";

/** What the shop of a test really did: one line for each effect. */
export class Ledger {
  readonly lines: string[] = [];
  readonly keys = new Map<string, unknown>();

  /** Does something once for a key, as a destination that deduplicates. */
  send<T>(key: string, line: string, result: T): T {
    if (!this.keys.has(key)) {
      this.keys.set(key, result);
      this.lines.push(line);
    }
    return result;
  }
}

const Paid = z.object({ order: z.string(), amount: z.number().optional(), version: z.number().optional() });

/** An order: reserved, then paid by an event, then shipped. */
function orderType(ledger: Ledger) {
  const shop = defineDestination("shop", { idempotency: { by: "key", window: "24h" } });
  const send = (name: string) => ({
    to: shop,
    run: ({
      idempotencyKey,
      input,
    }: {
      readonly idempotencyKey: string;
      readonly input: { readonly order: string };
    }) => ledger.send(idempotencyKey, `${name} ${input.order}`, { id: `${name}-${input.order}` }),
    check: ({ idempotencyKey }: { readonly idempotencyKey: string }) =>
      ledger.keys.has(idempotencyKey) ? happened({ id: idempotencyKey }, idempotencyKey) : didNotHappen(),
  });
  return defineCase("order", {
    version: 1,
    owner: "shop-team",
    input: z.object({ order: z.string() }),
    events: {
      paid: defineEvent(Paid, { correlate: ({ order }) => order }),
      changed: defineEvent(Paid, {
        correlate: ({ order }) => order,
        order: { version: ({ version }) => version ?? 0 },
      }),
      closed: defineEvent(Paid, {
        correlate: ({ order }) => order,
        order: { after: "opened", within: "2s" },
      }),
      opened: defineEvent(Paid, { correlate: ({ order }) => order }),
    },
    keys: ({ results }) => [results["reserve"] === undefined ? null : JSON.stringify(results["reserve"])],
  })
    .step("reserve", send("reserve"))
    .waitForEvent("payment", { event: "paid", timeout: "7d" })
    .step("ship", send("ship"));
}

/** Where a source of a test posts to, and how. */
interface Posting {
  readonly source?: string;
  readonly body?: unknown;
  readonly raw?: Uint8Array;
  readonly id?: string;
  readonly eventType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly secret?: string;
  readonly at?: number;
}

export interface World {
  readonly database: TestDatabase;
  readonly client: Client;
  readonly store: Store;
  readonly desk: Desk;
  readonly inbox: Inbox;
  readonly ledger: Ledger;
  readonly registry: Registry;
  readonly url: string;
  readonly reports: InboxReport[];
  readonly worker: Worker;
  readonly inboxWorker: InboxWorker;
  post(posting?: Posting): Promise<Response>;
  history(eventType?: string): Promise<readonly EventHistory[]>;
  /** Waits until no work is open. */
  settle(): Promise<void>;
  /** Open rows without a future due time, a deadline or an owner: none, ever (R21). */
  unowned(): Promise<readonly unknown[]>;
  close(): Promise<void>;
}

export const secret = "shh-this-is-a-test";

/** A world with one source `shop` of the plain HMAC preset, unless it is given other sources. */
export async function openWorld(
  given: {
    readonly sources?: (order: CaseType) => readonly (readonly [string, SourceOptions])[];
    readonly caseTypes?: (ledger: Ledger) => readonly CaseType[];
    readonly hasWorkers?: boolean;
    readonly attemptsMax?: number;
    readonly firstDelayMs?: number;
    readonly bodyMsMax?: number;
    readonly ask?: (url: string) => Promise<Response>;
  } = {},
): Promise<World> {
  const database = await createTestDatabase();
  const client = new Client(database.url);
  await client.connect();
  const store = postgresStore({ url: database.url });
  await store.migrate();
  const ledger = new Ledger();
  const order = orderType(ledger);
  const ports = systemPorts();
  const registry = registryOf(given.caseTypes?.(ledger) ?? [order]);
  const desk = createDesk({ store, registry, ports, engineVersion: ENGINE_VERSION });
  const reports: InboxReport[] = [];
  const options = given.sources?.(order) ?? [["shop", shopSource(order)] as const];
  const sources = options.map(([name, one]) => defineSource(name, one));
  const inbox = createInbox({
    store,
    sources,
    ports,
    onReport: (report) => reports.push(report),
    ...(given.bodyMsMax === undefined ? {} : { bodyMsMax: given.bodyMsMax }),
    ...(given.ask === undefined ? {} : { ask: given.ask }),
  });
  const worker = createWorker({ store, registry, ports, name: "w-1", host: "test", build: "test" });
  const sweep = createSweep({ store, ports });
  const inboxWorker = inbox.worker({
    door: desk,
    registry,
    holderId: () => worker.holderId,
    firstDelayMs: given.firstDelayMs ?? 50,
    ...(given.attemptsMax === undefined ? {} : { attemptsMax: given.attemptsMax }),
  });
  const inboxSweep = inbox.sweep({ intervalMs: 200 });
  if (given.hasWorkers !== false) {
    await worker.start();
    await inboxWorker.start();
    sweep.start();
    inboxSweep.start();
  }
  const server = createServer((incoming, outgoing) => void inbox.node(incoming, outgoing));
  const url = await listen(server);
  const world: World = {
    database,
    client,
    store,
    desk,
    inbox,
    ledger,
    registry,
    url,
    reports,
    worker,
    inboxWorker,
    post: (posting = {}) => post(url, options, posting),
    history: async (eventType) => {
      const { events } = await store.inbox.listEvents({
        limit: 500,
        ...(eventType === undefined ? {} : { eventType }),
      });
      return Promise.all(events.map(({ event }) => inbox.show(event.eventId)));
    },
    settle: async () => {
      await until(async () => {
        const counts = await store.inbox.countWork();
        return counts.every(({ state }) => state === "in_review" || state === "ignored" || state === "done");
      });
    },
    unowned: async () => {
      const { rows } = await client.query<object>(`
        select event_id, consumer, state from foothold.inbox_work
        where state not in ('done', 'ignored')
          and not (state in ('ready', 'waiting') and due_at is not null and deadline_at is not null)
          and not (state = 'claimed' and due_at is not null and holder_id is not null)
          and not (state = 'in_review' and owner <> '')`);
      return rows;
    },
    close: async () => {
      await inboxWorker.stop();
      await worker.stop();
      await inboxSweep.stop();
      await sweep.stop();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await store.close();
      await client.end();
      await database.drop();
    },
  };
  return world;
}

/** The source of most tests: every event of type `paid` tells its order. */
export function shopSource(order: CaseType, more: Partial<SourceOptions> = {}): SourceOptions {
  return {
    preset: "hmac",
    owner: "shop-team",
    secrets: () => secret,
    consumers: {
      paid: tellCase(order, { on: "order.paid", as: "paid" }),
      changed: tellCase(order, { on: "order.changed", as: "changed" }),
      closed: tellCase(order, { on: "order.closed", as: "closed" }),
      opened: tellCase(order, { on: "order.opened", as: "opened" }),
    },
    ...more,
  };
}

async function post(
  url: string,
  sources: readonly (readonly [string, SourceOptions])[],
  posting: Posting,
): Promise<Response> {
  const name = posting.source ?? sources[0]?.[0] ?? "shop";
  const preset = sources.find(([one]) => one === name)?.[1].preset ?? "hmac";
  const body = posting.raw ?? Buffer.from(JSON.stringify(posting.body ?? { order: "o1" }));
  const headers = signRequest(typeof preset === "string" ? PRESETS[preset] : preset, {
    method: "POST",
    url: `https://shop.example/inbox/${name}`,
    body,
    secret: posting.secret ?? secret,
    at: posting.at ?? Date.now(),
    id: posting.id ?? randomUUID(),
    eventType: posting.eventType ?? "order.paid",
  });
  return fetch(`${url}/inbox/${name}`, {
    method: "POST",
    headers: { ...headers, ...posting.headers },
    body: new Uint8Array(body),
  });
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
}

/** Waits for a condition, 30 s at most. */
export async function until(isTrue: () => Promise<boolean> | boolean, what = "the condition"): Promise<void> {
  const deadline = performance.now() + 30_000;
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error(`${what} did not come true within 30 s`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
