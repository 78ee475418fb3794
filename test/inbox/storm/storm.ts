/**
 * A storm of deliveries on real processes: a server and workers that are killed with kill -9 and started again, people who
 * repair cases meanwhile, senders who repeat until they are answered with a success. Judged from the tables at the end.
 */

import { createServer } from "node:net";
import { Agent, request } from "node:http";
import { Pool } from "pg";
import { createDesk, ENGINE_VERSION, systemPorts, type Desk } from "foothold";
import { postgresStore } from "foothold/postgres";
import { eventIdOf, keyHash } from "../../../src/inbox/keys.ts";
import { startOwnProcess, type OwnProcess } from "../../setup/own-process.ts";
import { drawsOf, stormDeliveries, type StormDelivery } from "./deliveries.ts";
import { judgeStorm } from "./judge.ts";
import { ACCOUNTS, stormTypes } from "./storm-types.ts";

/** What kind of storm. */
export interface StormOptions {
  readonly databaseUrl: string;
  readonly events: number;
  readonly seed: number;
  /** How often the server, and how often a worker, is killed while deliveries come. */
  readonly serverKills: number;
  readonly workerKills: number;
  readonly settleWithinMs: number;
  readonly onLine?: (line: string) => void;
}

/** What came of it. */
export interface StormReport {
  readonly violations: readonly string[];
  readonly deliveries: number;
  readonly successes: number;
  readonly refusals: number;
  /** Attempts that got no answer, or were asked to come again. */
  readonly again: number;
  readonly repairs: number;
  readonly attached: number;
  readonly seconds: number;
}

/** How long a process may take to start, in ms: the machine may be busy with more than this. */
const START_MS_MAX = 240_000;
const SENDERS = 32;
const ATTEMPTS_MAX = 400;
const RETRY_MS = 100;
const PROCESS = new URL("storm-process.ts", import.meta.url);

/** Lets it loose. */
export async function runStorm(options: StormOptions): Promise<StormReport> {
  const storm = new Storm(options, await freePort());
  try {
    return await storm.run();
  } finally {
    await storm.end();
  }
}

class Storm {
  readonly #options: StormOptions;
  readonly #port: number;
  readonly #pool: Pool;
  readonly #store: ReturnType<typeof postgresStore>;
  readonly #desk: Desk;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: SENDERS * 2 });
  #server: OwnProcess | null = null;
  readonly #workers: OwnProcess[] = [];
  readonly #successes = new Map<string, number>();
  readonly #wrong: string[] = [];
  #refusals = 0;
  #again = 0;
  #repairs = 0;

  constructor(options: StormOptions, port: number) {
    this.#options = options;
    this.#port = port;
    this.#pool = new Pool({ connectionString: options.databaseUrl, max: 4 });
    this.#store = postgresStore({ url: options.databaseUrl });
    const { registry } = stormTypes(null);
    const ports = systemPorts();
    this.#desk = createDesk({ store: this.#store, registry, ports, engineVersion: ENGINE_VERSION });
  }

  async run(): Promise<StormReport> {
    const { events, seed } = this.#options;
    const startedAt = performance.now();
    await this.#store.migrate();
    await this.#pool.query(
      "create table shipped (key text primary key, event text not null, sends integer not null)",
    );
    const accounts = await this.#openAccounts();
    await Promise.all([this.#startServer(), this.#startWorker(), this.#startWorker()]);
    const deliveries = stormDeliveries(events, seed);
    await this.#sendAll(deliveries, accounts);
    this.#say(`${deliveries.length} deliveries are answered`);
    await this.#closeRepairs();
    const wanted = new Map(
      deliveries.filter(({ isForged }) => !isForged).map((one) => [eventIdFor(one), one] as const),
    );
    const judged = await judgeStorm({
      pool: this.#pool,
      store: this.#store,
      wanted,
      successes: this.#successes,
      accounts,
      settleWithinMs: this.#options.settleWithinMs,
    });
    return {
      violations: [...this.#wrong, ...judged.violations],
      deliveries: deliveries.length,
      successes: [...this.#successes.values()].reduce((sum, one) => sum + one, 0),
      refusals: this.#refusals,
      again: this.#again,
      repairs: this.#repairs,
      attached: judged.attached,
      seconds: (performance.now() - startedAt) / 1_000,
    };
  }

  async end(): Promise<void> {
    this.#agent.destroy();
    for (const one of [this.#server, ...this.#workers]) await one?.end("SIGKILL");
    await this.#store.close();
    await this.#pool.end();
  }

  async #openAccounts(): Promise<readonly string[]> {
    const ids: string[] = [];
    for (let index = 0; index < ACCOUNTS; index += 1) {
      const account = `account-${index}`;
      const started = await this.#desk.startCase(
        "account",
        { account },
        { by: "test", businessKey: account },
      );
      ids.push(started.caseId);
    }
    return ids;
  }

  async #startServer(): Promise<void> {
    this.#server = startOwnProcess(PROCESS, ["server", this.#options.databaseUrl, String(this.#port)]);
    await this.#server.nextLine(START_MS_MAX);
  }

  async #startWorker(): Promise<void> {
    const worker = startOwnProcess(PROCESS, ["worker", this.#options.databaseUrl]);
    this.#workers.push(worker);
    await worker.nextLine(START_MS_MAX);
  }

  /** A kill at every so many deliveries, in turns; and a person opens a case at every so many others. */
  async #sendAll(deliveries: readonly StormDelivery[], accounts: readonly string[]): Promise<void> {
    const { serverKills, workerKills, seed } = this.#options;
    const acts = new Map<number, () => Promise<void>>();
    const plan = (times: number, offset: number, act: (index: number) => Promise<void>): void => {
      for (let index = 0; index < times; index += 1)
        acts.set(Math.floor((deliveries.length * (index + offset)) / times), () => act(index));
    };
    plan(workerKills, 0.61, () => this.#killWorker());
    plan(serverKills, 0.43, () => this.#killServer());
    plan(Math.min(20, accounts.length), 0.27, (index) => this.#openRepair(accounts[index] ?? ""));
    const random = drawsOf(seed + 1);
    const under: Promise<void>[] = [];
    let at = 0;
    const send = async (): Promise<void> => {
      for (let mine = at++; mine < deliveries.length; mine = at++) {
        const act = acts.get(mine);
        if (act !== undefined) under.push(act());
        const delivery = deliveries[mine];
        if (delivery === undefined) return;
        const beside = delivery.isBesideAnother ? this.#deliver(delivery, random) : Promise.resolve();
        await Promise.all([this.#deliver(delivery, random), beside]);
      }
    };
    await Promise.all(Array.from({ length: SENDERS }, send));
    await Promise.all(under);
  }

  async #killServer(): Promise<void> {
    this.#say("the server is killed");
    await this.#server?.end("SIGKILL");
    await this.#startServer();
  }

  async #killWorker(): Promise<void> {
    this.#say("a worker is killed");
    await this.#workers.shift()?.end("SIGKILL");
    await this.#startWorker();
  }

  readonly #opened: { readonly caseId: string; readonly repairId: string }[] = [];

  async #openRepair(caseId: string): Promise<void> {
    const page = { by: "ann", host: "test", build: "1" };
    try {
      const { repairId } = await this.#desk.openRepair(caseId, page);
      this.#opened.push({ caseId, repairId });
      this.#repairs += 1;
    } catch (error) {
      // A worker has it at this very moment: the next person is luckier.
      this.#say(`no repair of ${caseId}: ${String(error)}`);
    }
  }

  async #closeRepairs(): Promise<void> {
    for (const { caseId, repairId } of this.#opened) await this.#desk.closeRepair(caseId, repairId);
  }

  /** As a provider does: again until it is answered with a success, or refused. */
  async #deliver(delivery: StormDelivery, random: () => number): Promise<void> {
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
      const status = await this.#post(delivery);
      if (status === 401 || (status !== null && status < 300)) {
        if (delivery.isForged !== (status === 401))
          this.#wrong.push(`${delivery.isForged ? "forged " : ""}${delivery.id} was answered with ${status}`);
        if (status === 401) this.#refusals += 1;
        else this.#successes.set(delivery.id, (this.#successes.get(delivery.id) ?? 0) + 1);
        return;
      }
      this.#again += 1;
      if (status !== null && status !== 503) this.#wrong.push(`${delivery.id} was answered with ${status}`);
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS * (0.5 + random())));
    }
    this.#wrong.push(`${delivery.id} was never answered`);
  }

  #post(delivery: StormDelivery): Promise<number | null> {
    const { body, headers } = delivery.request();
    return new Promise((resolve) => {
      const sent = request(
        {
          agent: this.#agent,
          host: "127.0.0.1",
          port: this.#port,
          path: `/inbox/${delivery.source}`,
          method: "POST",
          headers: { ...headers, "content-length": body.length },
        },
        (response) => {
          response.resume();
          response.once("end", () => resolve(response.statusCode ?? null));
          response.once("error", () => resolve(null));
        },
      );
      sent.once("error", () => resolve(null));
      sent.setTimeout(20_000, () => sent.destroy());
      sent.end(body);
    });
  }

  #say(line: string): void {
    this.#options.onLine?.(line);
  }
}

function eventIdFor({ source, id }: StormDelivery): string {
  return eventIdOf(keyHash({ tenant: "default", source }, "delivery", [id]));
}

/** The server comes back under the address that the providers know. */
async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (typeof address !== "object" || address === null) throw new Error("no port is free");
  return address.port;
}
