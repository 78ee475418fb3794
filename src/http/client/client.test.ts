import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { refusalOf } from "../../desk/refusal.fixture.ts";
import { createClient } from "./client.ts";

interface Sent {
  readonly url: string;
  readonly init: RequestInit | undefined;
}

function answering(status: number, body: string, sent: Sent[] = []): typeof globalThis.fetch {
  return (url, init) => {
    // The client names its targets by text.
    sent.push({ url: url as string, init });
    return Promise.resolve(new Response(body, { status }));
  };
}

/** Answers nothing until it is told to stop. */
const never: typeof globalThis.fetch = (_url, init) =>
  new Promise((_resolve, reject) => {
    init?.signal?.addEventListener("abort", () => reject(new Error("aborted")));
  });

describe("the client", () => {
  test("puts what it is given where the route takes it: path, query, body and headers", async () => {
    const sent: Sent[] = [];
    const client = createClient({
      baseUrl: "https://foothold.example/",
      token: "fh_secret",
      fetch: answering(200, "{}", sent),
    });
    await client.listCases({ state: ["ready", "done"], limit: 5 });
    await client.resumeCase({ caseId: "07-a/b", step: "notify" }, { plan: "p1.0" });
    await client.closeRepair({ caseId: "07-a", repairId: "r" });
    expect(sent.map(({ url }) => url)).toEqual([
      "https://foothold.example/api/v1/cases?state=ready&state=done&limit=5",
      "https://foothold.example/api/v1/cases/07-a%2Fb/resume",
      "https://foothold.example/api/v1/cases/07-a/repair/r/close",
    ]);
    expect(sent[1]?.init).toMatchObject({
      method: "POST",
      body: `{"step":"notify"}`,
      redirect: "error",
      headers: {
        "if-match": `"p1.0"`,
        authorization: "Bearer fh_secret",
        "content-type": "application/json",
      },
    });
    expect(sent[2]?.init?.body).toBe("{}");
  });

  test("throws what the server refused, with its code and all that it told", async () => {
    const problem = {
      title: "Refused",
      status: 409,
      code: "CASE_CLAIMED",
      detail: "w-1 holds it",
      caseId: "07-a",
    };
    const client = createClient({ fetch: answering(409, JSON.stringify(problem)) });
    const refused = await refusalOf(client.cancelCase({ caseId: "07-a" }, { plan: "*" }));
    expect(refused).toMatchObject({
      code: "CASE_CLAIMED",
      message: "w-1 holds it",
      details: { status: 409, caseId: "07-a" },
    });
  });

  test.each([
    ["a page of a proxy", answering(502, "<html>Bad gateway</html>")],
    ["a problem of another server", answering(400, `{"code":"E_OTHER","detail":"no"}`)],
    ["nothing", () => Promise.reject(new TypeError("fetch failed"))],
  ])("says that the server is not reached where the answer is %s", async (_what, fetch) => {
    const refused = await refusalOf(createClient({ fetch }).listCases());
    expect(refused.code).toBe("SERVER_UNREACHABLE");
    expect(refused.message).toContain("GET /api/v1/cases");
  });

  test("gives up after its time, and at once when its caller does", async () => {
    const late = createClient({ fetch: never, timeoutMs: 5 });
    expect((await refusalOf(late.listCases())).code).toBe("SERVER_UNREACHABLE");
    const stop = new AbortController();
    const call = createClient({ fetch: never }).listCases({}, { signal: stop.signal });
    stop.abort();
    await expect(call).rejects.toThrow("aborted");
  });

  test("loads nothing but what runs in a browser", () => {
    const seen = new Set<string>();
    const walk = (file: string): void => {
      if (seen.has(file)) return;
      seen.add(file);
      const source = readFileSync(file, "utf8").replaceAll(/^(?:import|export) type [^;]*;/gm, "");
      for (const [, from = ""] of source.matchAll(/^(?:import|export) [^;]*? from "([^"]+)";/gm)) {
        expect(from).toMatch(/^\.\.?\//);
        walk(join(dirname(file), from));
      }
    };
    walk(fileURLToPath(new URL("../../client.ts", import.meta.url)));
    const names = [...seen].map((file) => file.slice(file.indexOf("/src/") + 5)).toSorted();
    expect(names).toEqual([
      "client.ts",
      "core/errors.ts",
      "core/inexact-number.ts",
      "core/rights.ts",
      "http/api/audit-routes.ts",
      "http/api/bulk-routes.ts",
      "http/api/inbox-routes.ts",
      "http/api/milestone-routes.ts",
      "http/api/notice-routes.ts",
      "http/api/picture-routes.ts",
      "http/api/routes.ts",
      "http/api/schedule-routes.ts",
      "http/api/second-routes.ts",
      "http/api/settings-routes.ts",
      "http/api/view-routes.ts",
      "http/api/work-routes.ts",
      "http/client/client.ts",
      "http/client/watch.ts",
    ]);
  });
});
