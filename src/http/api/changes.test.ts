import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { testDesk } from "../../desk/purchase.fixture.ts";
import { refusalOf } from "../../desk/refusal.fixture.ts";
import { memoryStore } from "../../store/memory/store.ts";
import type { Store } from "../../store/port.ts";
import { testApp } from "../app.fixture.ts";
import { watchChanges, type WatchOptions } from "../client/watch.ts";
import { startServer, type RunningServer } from "../server.ts";
import type { Identity, SignIn } from "./identity.ts";
import { LISTENERS_MAX, LISTENERS_OF_ONE_MAX } from "./change-feed.ts";
import type { Change } from "./types.ts";

// Real sockets, on a machine that may be busy.
vi.setConfig({ testTimeout: 60_000 });

const ada: Identity = {
  name: "ada",
  person: null,
  signedInBy: "session",
  grants: [{ verbs: ["see"], tenants: ["default"], caseTypes: "all" }],
};

describe("hints of changes", () => {
  let store: Store;
  let server: RunningServer;
  let who: Identity | null = ada;
  let asked = 0;
  const stops: AbortController[] = [];

  beforeEach(async () => {
    who = ada;
    store = memoryStore();
    asked = 0;
    const signIn: SignIn = ({ header, isWaiting }) => {
      asked += 1;
      const name = header("authorization") ?? "ada";
      return Promise.resolve(isWaiting === true && who !== null ? { ...who, name } : null);
    };
    server = await startServer({ app: testApp(store, { signIn }), host: "127.0.0.1", port: 0 });
  });
  afterEach(async () => {
    for (const stop of stops.splice(0)) stop.abort();
    await server.close();
  });

  /** Listens, and gives what came so far; resolves once the first look was made. */
  function listen(options: WatchOptions = {}): { readonly came: Change[]; readonly ended: Promise<string> } {
    const stop = new AbortController();
    stops.push(stop);
    const came: Change[] = [];
    const run = async (): Promise<string> => {
      try {
        for await (const change of watchChanges(
          { baseUrl: server.url },
          { ...options, signal: stop.signal },
        )) {
          came.push(change);
        }
        return "ended";
      } catch (error) {
        return String(error);
      }
    };
    return { came, ended: run() };
  }

  async function start(tenant?: string): Promise<string> {
    const input = { vendor: "ACME", amount: 1 };
    const { caseId } = await testDesk(store).startCase("purchase", input, { by: "ada", tenant });
    return caseId;
  }

  test("tell of the cases that a page shows, and of lists, and not of cases that it may not see", async () => {
    const [mine, foreign] = [await start(), await start("acme")];
    const { came } = listen({ caseIds: [mine, foreign, "no case"] });
    await vi.waitFor(
      async () => {
        await testDesk(store).addNote(foreign, { by: "ada", text: "hello" });
        await testDesk(store).addNote(mine, { by: "ada", text: "hello" });
        expect(came).toContainEqual({ kind: "list" });
        expect(came.some((one) => one.kind === "case" && one.caseId === mine)).toBe(true);
      },
      { timeout: 30_000, interval: 300 },
    );
    expect(came.every((one) => one.kind === "list" || one.caseId === mine)).toBe(true);
  });

  test("end with the session, without keeping it", async () => {
    const { ended } = listen();
    await vi.waitFor(() => expect(asked).toBeGreaterThan(3), { timeout: 30_000 });
    who = null;
    expect(await ended).toBe("ended");
  });

  test("end at once when the server closes, which waits for no page that only listens", async () => {
    const { ended } = listen();
    await vi.waitFor(() => expect(asked).toBeGreaterThan(3), { timeout: 30_000 });
    const closingAt = performance.now();
    await server.close();
    // What is under way is cut off after 5 s.
    expect(performance.now() - closingAt).toBeLessThan(4_800);
    expect(await ended).not.toBe("");
  });

  test("are for nobody who is not signed in, for GET alone, and for known parameters", async () => {
    const url = `${server.url}/api/v1/changes`;
    expect((await fetch(`${url}?caze=1`)).status).toBe(400);
    expect((await fetch(url, { method: "HEAD" })).status).toBe(400);
    expect((await fetch(url, { method: "POST" })).status).toBe(405);
    const many = Array.from({ length: 101 }, () => "case=07-a").join("&");
    expect((await fetch(`${url}?${many}`)).status).toBe(400);
    who = null;
    const refused = await refusalOf(watchChanges({ baseUrl: server.url }).next());
    expect(refused).toMatchObject({ code: "NOT_SIGNED_IN", details: { status: 401 } });
  });

  test("end for cases that somebody may see no more, with the next beat", async () => {
    const mine = await start();
    const { came } = listen({ caseIds: [mine] });
    await vi.waitFor(
      async () => {
        await testDesk(store).addNote(mine, { text: "one", by: "ada" });
        expect(came).toContainEqual(expect.objectContaining({ kind: "case", caseId: mine }));
      },
      { timeout: 30_000, interval: 500 },
    );
    who = { ...ada, grants: [] };
    const beats = asked;
    await vi.waitFor(() => expect(asked).toBeGreaterThan(beats + 2), { timeout: 30_000 });
    came.splice(0);
    await vi.waitFor(
      async () => {
        await testDesk(store).addNote(mine, { text: "two", by: "ada" });
        expect(came).toContainEqual({ kind: "list" });
      },
      { timeout: 30_000, interval: 500 },
    );
    expect(came.filter(({ kind }) => kind === "case")).toEqual([]);
  });

  test("are for a bounded number of pages, and one that leaves makes room", async () => {
    const url = `${server.url}/api/v1/changes`;
    const stop = new AbortController();
    stops.push(stop);
    const as = (authorization: string): Promise<Response> =>
      fetch(url, { headers: { authorization }, signal: stop.signal });
    const own = await Promise.all(Array.from({ length: LISTENERS_OF_ONE_MAX }, () => as("ada")));
    expect(new Set(own.map(({ status }) => status))).toEqual(new Set([200]));
    const refused = await as("ada");
    expect([refused.status, await refused.text()]).toEqual([
      429,
      expect.stringContaining(`${LISTENERS_OF_ONE_MAX} pages of this person`),
    ]);
    const others = await Promise.all(
      Array.from({ length: LISTENERS_MAX - LISTENERS_OF_ONE_MAX }, (_, index) => as(`p-${index % 8}`)),
    );
    expect(new Set(others.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await as("ben")).status).toBe(429);
    stop.abort();
    await vi.waitFor(
      async () => {
        const again = await fetch(url);
        await again.body?.cancel();
        expect(again.status).toBe(200);
      },
      { timeout: 30_000, interval: 200 },
    );
  });
});
