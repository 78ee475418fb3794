import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { FootholdError } from "../core/errors.ts";
import { testDesk } from "../desk/purchase.fixture.ts";
import { memoryStore } from "../store/memory/store.ts";
import type { Store } from "../store/port.ts";
import { fromHere, testApp } from "./app.fixture.ts";
import type { App } from "./app.ts";

const order = { vendor: "ACME", amount: 12.5 };

/** The files that a page names. */
function namedIn(page: string): readonly string[] {
  return [...page.matchAll(/(?:src|href)="([^"]+)"/g)].flatMap(([, path]) => path ?? []);
}

describe("the HTTP app", () => {
  let store: Store;
  let app: App;
  beforeEach(() => {
    store = memoryStore();
    app = testApp(store);
  });

  function get(
    path: string,
    headers: Record<string, string> = {},
    env: object = fromHere,
  ): Promise<Response> {
    return Promise.resolve(app.request(path, { headers: { host: "localhost:4680", ...headers } }, env));
  }
  async function start(businessKey?: string, tenant?: string): Promise<string> {
    const desk = testDesk(store);
    const { caseId } = await desk.startCase("purchase", order, { by: "ada", businessKey, tenant });
    return caseId;
  }

  describe("the API", () => {
    test("lists cases with their reading, and filters by type, state, tenant and business key", async () => {
      const caseId = await start("PO-1", "acme");
      await start();
      const paths = ["type=purchase&tenant=acme", "businessKey=PO-1", "state=ready&businessKey=PO-1"];
      for (const query of paths) {
        const answer = await get(`/api/v1/cases?${query}`);
        expect(answer.status).toBe(200);
        expect(await answer.json()).toMatchObject({
          cases: [{ caseId, reading: { actsNext: "the next free worker" } }],
        });
      }
      expect(await (await get("/api/v1/cases?state=done&state=canceled")).json()).toMatchObject({
        cases: [],
      });
      const { cases } = z
        .object({ cases: z.array(z.unknown()) })
        .parse(await (await get("/api/v1/cases?type=&state=&limit=1")).json());
      expect(cases).toHaveLength(1);
    });

    test("shows everything about one case", async () => {
      const answer = await get(`/api/v1/cases/${await start()}`);
      expect(answer.status).toBe(200);
      expect(await answer.json()).toMatchObject({ input: order, holding: null, plan: { foothold: [] } });
    });

    test.each([
      ["limit=0", "limit"],
      ["limit=501", "limit"],
      ["limit=1e2", "limit"],
      ["limit=-1", "limit"],
      ["state=running", "state.0"],
      ["review=yes", "review"],
      ["sate=ready", "sate"],
      ["type=a&type=b", "type"],
      [`tenant=${"t".repeat(101)}`, "tenant"],
      ["businessKey=%00", "businessKey"],
    ])("refuses the query %s naming the field", async (query, field) => {
      const answer = await get(`/api/v1/cases?${query}`);
      expect(answer.status).toBe(400);
      expect(answer.headers.get("content-type")).toContain("application/problem+json");
      expect(await answer.json()).toMatchObject({ code: "INVALID_REQUEST", fields: [{ path: field }] });
    });

    test.each([
      ["/api/v1/cases/07-zzzzzzzzzzzz", 404, "CASE_NOT_FOUND"],
      ["/api/v1/cases/%00", 404, "CASE_NOT_FOUND"],
      ["/api/v1/cases/..%2f..%2fetc", 404, "CASE_NOT_FOUND"],
      ["/api/v1/cases?cursor=nonsense", 400, "INVALID_REQUEST"],
      ["/api/nothing", 404, "INVALID_REQUEST"],
      ["/api/v1/nothing", 404, "INVALID_REQUEST"],
    ])("answers %s with %i and %s", async (path, status, code) => {
      const answer = await get(path);
      expect(answer.status).toBe(status);
      expect(await answer.json()).toMatchObject({ status, code });
    });

    test.each(["PUT", "PATCH", "DELETE", "OPTIONS"])(
      "does not answer %s where there is no such route",
      async (method) => {
        const headers = { host: "localhost:4680" };
        const answer = await app.request("/api/v1/cases", { method, headers }, fromHere);
        expect(answer.status).toBe(405);
        expect(answer.headers.get("allow")).toBe("GET, HEAD, POST");
      },
    );

    test("tells nothing of an error that is not ours but that it happened", async () => {
      const errors: unknown[] = [];
      const secret = new Error("password=hunter2");
      app = testApp({ ...store, listCases: () => Promise.reject(secret) }, { errors });
      const answer = await get("/api/v1/cases");
      expect(answer.status).toBe(500);
      expect(await answer.text()).not.toContain("hunter2");
      expect(errors).toEqual([secret]);
    });
  });

  describe("health", () => {
    test("is ok with an empty database", async () => {
      const answer = await get("/healthz");
      expect(answer.status).toBe(200);
      expect(await answer.json()).toEqual({
        status: "ok",
        database: { answers: true },
        noWorker: [],
        overdueSchedules: [],
        undelivered: 0,
      });
    });

    test("names the types that have work and no worker", async () => {
      await start();
      expect(await (await get("/healthz")).json()).toMatchObject({
        status: "attention",
        noWorker: [{ caseType: "purchase", waiting: 1, lost: 0 }],
      });
    });

    test("is 503 and says what is wrong when the database does not answer", async () => {
      const away = new FootholdError("DATABASE_UNAVAILABLE", "the database does not answer");
      app = testApp({ ...store, countCases: () => Promise.reject(away) });
      const answer = await get("/healthz");
      expect(answer.status).toBe(503);
      expect(await answer.json()).toMatchObject({
        status: "down",
        database: { answers: false, code: "DATABASE_UNAVAILABLE" },
      });
    });
  });

  describe("the console", () => {
    test.each(["/", "/cases", "/cases/07-zzzzzzzzzzzz", "/destinations", "/workers"])(
      "begins at %s with a page whose files are named relative to it, so that any path may lie before it",
      async (path) => {
        const answer = await get(path);
        expect(answer.headers.get("content-type")).toContain("text/html");
        const names = namedIn(await answer.text());
        expect(names.filter((name) => name.endsWith(".js"))).toHaveLength(1);
        for (const name of names) {
          expect(name).toMatch(/^\.{1,2}\//);
          const { pathname } = new URL(name, `http://localhost:4680${path}`);
          expect((await get(pathname)).status).toBe(200);
        }
      },
    );

    test("has no script but that of its files, and its policy allows no other, nor frames, nor other sites", async () => {
      const answer = await get("/");
      const policy = answer.headers.get("content-security-policy") ?? "";
      expect(await answer.text()).not.toMatch(/<script>|<script [^>]*>[^<]|style=|javascript:| on\w+=/i);
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain("unsafe");
      expect(policy).not.toContain("data:");
      expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    });

    test("has its files kept by browsers, as their names follow their content, and its page never", async () => {
      const answer = await get("/");
      expect(answer.headers.get("cache-control")).toBe("no-store");
      const [name = ""] = namedIn(await answer.text());
      const file = await get(new URL(name, "http://localhost/").pathname);
      expect(file.headers.get("cache-control")).toContain("immutable");
    });

    test("is at most 200 KiB in all, as it travels", async () => {
      const names = namedIn(await (await get("/")).text());
      const sizes = await Promise.all(
        names.map(async (name) => {
          const { pathname } = new URL(name, "http://localhost/");
          const answer = await get(pathname, { "accept-encoding": "gzip, br" });
          expect(answer.headers.get("content-encoding")).toBe("gzip");
          return (await answer.arrayBuffer()).byteLength;
        }),
      );
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(200 * 1024);
    });

    test.each(["/assets/nothing.js", "/assets/..%2findex.html", "/assets/", "/nothing"])(
      "answers %s with 404",
      async (path) => {
        expect((await get(path)).status).toBe(404);
      },
    );
  });

  describe("only this machine", () => {
    test.each(["127.0.0.1", "127.9.8.7", "::1", "::ffff:127.0.0.1"])("answers the peer %s", async (peer) => {
      const env = { incoming: { socket: { remoteAddress: peer } } };
      expect((await get("/healthz", {}, env)).status).toBe(200);
    });

    test.each(["10.0.0.7", "192.168.1.2", "::ffff:10.0.0.7", "fe80::1", "127.0.0.1.evil", "", undefined])(
      "refuses the peer %s",
      async (peer) => {
        const answer = await get("/healthz", {}, { incoming: { socket: { remoteAddress: peer } } });
        expect(answer.status).toBe(403);
        expect(await answer.json()).toMatchObject({ code: "NOT_LOOPBACK" });
      },
    );

    test("refuses a request whose peer nobody tells", async () => {
      expect((await get("/healthz", {}, {})).status).toBe(403);
    });

    test("does not believe a header that claims another peer, and serves nobody who forwards", async () => {
      const env = { incoming: { socket: { remoteAddress: "10.0.0.7" } } };
      expect((await get("/healthz", { "x-forwarded-for": "127.0.0.1" }, env)).status).toBe(403);
      expect((await get("/healthz", { "x-forwarded-for": "10.0.0.7" })).status).toBe(403);
      expect((await get("/healthz", { forwarded: "for=10.0.0.7" })).status).toBe(403);
    });

    test.each(["localhost", "localhost:4680", "LOCALHOST:1", "127.0.0.1:4680", "[::1]:4680"])(
      "answers to the name %s",
      async (host) => {
        expect((await get("/healthz", { host })).status).toBe(200);
      },
    );

    test.each([
      "evil.example",
      "localhost.evil.example",
      "127.0.0.1.nip.io:4680",
      "0.0.0.0:4680",
      "",
      "[::2]",
    ])("refuses the name %j, which a page elsewhere could have bound to this machine", async (host) => {
      expect((await get("/healthz", { host })).status).toBe(403);
    });

    test.each([
      [{ origin: "https://evil.example" }],
      [{ origin: "null" }],
      [{ origin: "http://localhost:3000" }],
      [{ "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "script" }],
      [{ "sec-fetch-site": "same-site", "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" }],
      [{ "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe" }],
    ])("refuses a request that another site's page made: %j", async (headers) => {
      expect((await get("/api/v1/cases", headers)).status).toBe(403);
    });

    test.each([
      [{ origin: "http://localhost:4680", "sec-fetch-site": "same-origin" }],
      [{ "sec-fetch-site": "none", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" }],
      [{ "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" }],
    ])("answers its own pages and links that a person follows: %j", async (headers) => {
      expect((await get("/", headers)).status).toBe(200);
    });
  });
});
