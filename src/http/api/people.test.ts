import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { BUILT_IN_ROLES } from "../../core/rights.ts";
import { addPerson, changePerson, createToken, revokeToken } from "../../people/people.ts";
import { hashPassword } from "../../people/password.ts";
import { newSecret, secretHash, SESSION_PREFIX } from "../../people/secrets.ts";
import { placeOf, SESSION_IDLE_MS, SESSION_LASTS_MS, throttleKey } from "../../people/sign-in.ts";
import { refusalOf } from "../../desk/refusal.fixture.ts";
import { systemPorts } from "../../engine/system.ts";
import { memoryStore } from "../../store/memory/store.ts";
import type { Store } from "../../store/port.ts";
import { fromHere, testApp } from "../app.fixture.ts";
import type { App } from "../app.ts";
import { proxiesAt } from "../client-address.ts";
import { cookieRules, peopleSignIn } from "./identity.ts";
import { API_BASE } from "./routes.ts";

const password = "correct horse battery";
const origin = "https://foothold.example.com";
const ownPage = { origin, "sec-fetch-site": "same-origin" };
const { ids } = systemPorts();

let passwordHash = "";
beforeAll(async () => {
  passwordHash = await hashPassword(password);
});

function cookieOf(set: string | null): string {
  return (set ?? "").split(";")[0] ?? "";
}

function bearer(secret: string): Record<string, string> {
  return { authorization: `Bearer ${secret}` };
}

describe("people at the server", () => {
  let store: Store;
  let app: App;
  let now = 1_800_000_000_000;
  const parts = () => ({ people: store.people, roles: BUILT_IN_ROLES, ids, by: "root" });

  beforeEach(async () => {
    store = memoryStore({ now: () => now });
    app = testApp(store, {
      signIn: peopleSignIn(store.people, BUILT_IN_ROLES, cookieRules(true)),
      reach: { kind: "public", origin },
    });
    await store.people.addPerson({ personId: "p-1", name: "ada", passwordHash, roles: ["operator"] });
  });

  async function send(
    path: string,
    headers: Record<string, string> = {},
    { method = "GET", body = null }: { method?: string; body?: object | null } = {},
    peer = "203.0.113.7",
  ) {
    const answer = await app.request(
      `${origin}${API_BASE}${path}`,
      {
        method,
        headers: {
          host: "foothold.example.com",
          ...(body === null ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        ...(body === null ? {} : { body: JSON.stringify(body) }),
      },
      { incoming: { socket: { remoteAddress: peer } } },
    );
    const told: unknown = await answer.json();
    return { status: answer.status, told, cookie: answer.headers.get("set-cookie") };
  }
  const get = (path: string, headers: object = {}) =>
    app.request(
      `${origin}${path}`,
      { headers: { host: "foothold.example.com", ...headers } },
      { incoming: { socket: { remoteAddress: "203.0.113.7" } } },
    );
  const signIn = (wrong?: string, peer?: string) =>
    send("/session", ownPage, { method: "POST", body: { name: "ada", password: wrong ?? password } }, peer);
  /** So many tries that failed, at once. */
  const fail = async (times: number, key: string): Promise<void> => {
    for (let tries = 0; tries < times; tries += 1) await store.people.noteFailure(key, 15 * 60_000);
  };
  /** Signed in without the work of a password. */
  const session = async (): Promise<string> => {
    const secret = newSecret(SESSION_PREFIX);
    await store.people.openSession({
      sessionHash: secretHash(secret, SESSION_PREFIX) ?? "",
      personId: "p-1",
      idleMs: SESSION_IDLE_MS,
      lastsMs: SESSION_LASTS_MS,
    });
    return `__Host-foothold=${secret}`;
  };

  test("sign in with a password, and are known by a cookie that only this host, https and no script can use", async () => {
    const { status, told, cookie } = await signIn();
    expect(status).toBe(201);
    expect(told).toMatchObject({ name: "ada", signedInBy: "session" });
    expect(cookie).toMatch(
      /^__Host-foothold=foothold_ses_[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    );
    const me = await send("/me", { cookie: cookieOf(cookie) });
    expect(me.told).toMatchObject({ name: "ada" });
    expect(JSON.stringify(me.told)).not.toContain("approve");
  });

  test("are told the same, whatever is wrong with a sign-in", async () => {
    const wrong = await signIn("incorrect horse battery");
    const unknown = await send("/session", ownPage, { method: "POST", body: { name: "eve", password } });
    await store.people.changePerson("ada", { isDisabled: true });
    const disabled = await signIn();
    expect(wrong.status).toBe(401);
    expect([unknown.told, disabled.told]).toEqual([wrong.told, wrong.told]);
    expect([wrong.cookie, unknown.cookie, disabled.cookie]).toEqual([null, null, null]);
  });

  test("get a new session with each sign-in, and the one before ends", async () => {
    const first = cookieOf((await signIn()).cookie);
    const planted = { ...ownPage, cookie: first };
    const again = await send("/session", planted, { method: "POST", body: { name: "ada", password } });
    expect(cookieOf(again.cookie)).not.toBe(first);
    expect((await send("/me", { cookie: first })).status).toBe(401);
    expect((await send("/me", { cookie: cookieOf(again.cookie) })).status).toBe(200);
  });

  test("are signed out by themselves, after 30 minutes without a request and after 12 hours", async () => {
    const cookie = await session();
    now += 29 * 60_000;
    expect((await send("/me", { cookie })).status).toBe(200);
    now += 31 * 60_000;
    expect((await send("/me", { cookie })).status).toBe(401);
    const other = await session();
    for (let minutes = 0; minutes < 12 * 60; minutes += 20) {
      expect((await send("/me", { cookie: other })).status).toBe(200);
      now += 20 * 60_000;
    }
    expect((await send("/me", { cookie: other })).status).toBe(401);
  });

  test("see their own sessions and tokens, and nobody else's; everybody is seen by who may", async () => {
    const cookie = await session();
    now += 1_000;
    await session();
    await addPerson(parts(), { name: "ben", roles: ["viewer"], password });
    const token = { label: "ci", scopes: ["see"], lastsMs: null };
    await createToken(parts(), { ...token, person: "ada" });
    await createToken(parts(), { ...token, person: "ben" });
    now += 1_000;
    const { told } = await send("/settings", { cookie });
    expect(told).toMatchObject({
      roles: ["operator"],
      sessions: [{ isThis: true }, { isThis: false }],
      tokens: [{ label: "ci", scopes: ["see"] }],
    });
    expect(JSON.stringify(told)).not.toMatch(/hash/i);
    expect((await send("/people", { cookie })).status).toBe(403);
    await addPerson(parts(), { name: "cy", roles: ["admin"], password });
    const admin = await send("/session", ownPage, { method: "POST", body: { name: "cy", password } });
    const people = await send("/people", { cookie: cookieOf(admin.cookie) });
    expect(people.told).toMatchObject({ people: [{ name: "ada" }, { name: "ben" }, { name: "cy" }] });
    expect(JSON.stringify(people.told)).not.toMatch(/hash|scrypt/i);
  });

  test("sign out, and their cookie is good for nothing more", async () => {
    const cookie = await session();
    const out = await send("/session", { ...ownPage, cookie }, { method: "DELETE", body: {} });
    expect(out).toMatchObject({ status: 200, cookie: expect.stringContaining("Max-Age=0") as unknown });
    expect((await send("/me", { cookie })).status).toBe(401);
  });

  test("lose at once what is taken from them: roles, and the right to sign in", async () => {
    const cookie = await session();
    await changePerson(parts(), "ada", { roles: ["viewer"] });
    expect((await send("/me", { cookie })).status).toBe(401);
  });

  test.each([
    ["no word of where it comes from", {}],
    ["another site", { origin: "https://evil.example" }],
    ["a sister site", { origin: "https://other.example.com", "sec-fetch-site": "same-site" }],
    ["a frame of another site", { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" }],
  ])("are not acted for by a request with their cookie and %s", async (_what, headers) => {
    const cookie = await session();
    const body = { type: "purchase", input: { vendor: "ACME", amount: 1 } };
    expect((await send("/cases", { ...headers, cookie }, { method: "POST", body })).status).toBe(403);
    expect((await send("/cases", { ...ownPage, cookie }, { method: "POST", body })).status).toBe(201);
  });

  test("are held back after ten failed tries, with the right password too, until the window ends", async () => {
    const there = throttleKey("account", "ada", "203.0.113.7");
    await fail(10, there);
    const held = await signIn();
    expect(held).toMatchObject({ status: 429, told: { code: "TOO_MANY_REQUESTS" } });
    now += 15 * 60_000;
    expect((await signIn()).status).toBe(201);
    expect(await store.people.readFailures(there)).toBeNull();
  });

  test("are not locked out by a stranger who tries their name, unless many do", async () => {
    await fail(10, throttleKey("account", "ada", "198.51.100.9"));
    expect((await signIn(password, "198.51.100.9")).status).toBe(429);
    expect((await signIn()).status).toBe(201);
    await fail(100, throttleKey("account", "ada"));
    expect((await signIn()).status).toBe(429);
  });

  test("of one address are held back together, those of another are not", async () => {
    await fail(100, throttleKey("place", "203.0.113.7"));
    const before = await store.people.readFailures(throttleKey("account", "ada"));
    expect((await signIn()).status).toBe(429);
    // Nothing is kept for the names that somebody tries who is held back.
    expect(await store.people.readFailures(throttleKey("account", "ada"))).toEqual(before);
    expect((await signIn(password, "203.0.113.8")).status).toBe(201);
  });

  test("of one network of IPv6 are held back together: all its addresses are one person's", async () => {
    await fail(100, throttleKey("place", "2001:db8:1:2::/64"));
    expect((await signIn(password, "2001:db8:1:2:aaaa::1")).status).toBe(429);
    expect((await signIn(password, "2001:db8:1:3::1")).status).toBe(201);
  });

  test("of one address are held back also where somebody there has a right password in between", async () => {
    const place = throttleKey("place", "203.0.113.7");
    await fail(60, place);
    expect((await signIn()).status).toBe(201);
    expect(await store.people.readFailures(place)).toMatchObject({ failures: 60 });
  });

  test("are told apart behind a proxy that is named, and by no header that anybody else writes", async () => {
    const body = { name: "ada", password };
    const behind = async (forwarded: string): Promise<number> => {
      const headers = { ...ownPage, "x-forwarded-for": forwarded };
      return (await send("/session", headers, { method: "POST", body }, "10.0.0.7")).status;
    };
    await fail(100, throttleKey("place", "198.51.100.9"));
    expect(await behind("198.51.100.9")).toBe(201);
    app = testApp(store, {
      signIn: peopleSignIn(store.people, BUILT_IN_ROLES, cookieRules(true)),
      reach: { kind: "public", origin, isProxy: proxiesAt(["10.0.0.0/8"]) },
    });
    expect(await behind("198.51.100.9")).toBe(429);
    expect(await behind("203.0.113.7, 198.51.100.9")).toBe(429);
    expect(await behind("198.51.100.9, 203.0.113.7")).toBe(201);
  });

  test.each([
    ["203.0.113.7", "203.0.113.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["2001:db8::", "2001:db8:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ])("come from a place: %s from %s", (address, place) => {
    expect(placeOf(address)).toBe(place);
  });

  test("are kept with their id where they act", async () => {
    const cookie = await session();
    const body = { type: "purchase", input: { vendor: "ACME", amount: 1 } };
    const { told } = await send("/cases", { ...ownPage, cookie }, { method: "POST", body });
    const stored = await store.loadCase(z.object({ caseId: z.string() }).parse(told).caseId);
    const ada = await store.people.findPerson("ada");
    expect(stored?.journal[0]?.entry).toMatchObject({ by: { name: "ada", personId: ada?.personId } });
  });

  test("are not answered under another name than the server's own", async () => {
    const answer = await app.request(
      "https://rebound.example/healthz",
      {
        headers: { host: "rebound.example" },
      },
      fromHere,
    );
    expect(answer.status).toBe(403);
  });

  test("see nobody's cases and no health in detail before they sign in; the console's own files tell of none", async () => {
    expect((await get("/")).status).toBe(200);
    expect((await get("/")).headers.get("strict-transport-security")).toBe("max-age=31536000");
    expect((await get("/api/v1/overview")).status).toBe(401);
    expect(await (await get("/healthz")).json()).toEqual({ status: "ok" });
    const cookie = await session();
    expect((await get("/api/v1/overview", { cookie })).status).toBe(200);
  });

  describe("tokens", () => {
    test("act as their person, named, within their scopes, until they are revoked", async () => {
      const token = { label: "ci", person: "ada", scopes: ["see", "start", "cancel"], lastsMs: null };
      const { secret, tokenId } = await createToken(parts(), token);
      expect(secret).toMatch(/^foothold_pat_[\w-]{43}$/);
      const me = await send("/me", bearer(secret));
      expect(me.told).toEqual({ name: "ada (ci)", signedInBy: "token", verbs: ["see", "start"] });
      const body = { type: "purchase", input: { vendor: "ACME", amount: 1 } };
      expect((await send("/cases", bearer(secret), { method: "POST", body })).status).toBe(201);
      expect((await send("/workers", bearer(secret))).status).toBe(403);
      await revokeToken(parts(), tokenId);
      expect((await send("/me", bearer(secret))).status).toBe(401);
      expect((await refusalOf(revokeToken(parts(), tokenId))).code).toBe("TOKEN_NOT_FOUND");
    });

    test("end with their time and with their person", async () => {
      const { secret } = await createToken(parts(), {
        label: "a",
        person: "ada",
        scopes: [],
        lastsMs: 1_000,
      });
      const other = await createToken(parts(), { label: "b", person: "ada", scopes: [], lastsMs: null });
      now += 1_000;
      expect((await send("/me", bearer(secret))).status).toBe(401);
      expect((await send("/me", bearer(other.secret))).status).toBe(200);
      await changePerson(parts(), "ada", { isDisabled: true });
      expect((await send("/me", bearer(other.secret))).status).toBe(401);
    });

    test.each(["", "Bearer", "Bearer x", `Bearer foothold_pat_${"x".repeat(43)}`, "Basic YWRhOng="])(
      "that are none are nobody's, and a cookie beside them does not count: %j",
      async (authorization) => {
        const cookie = await session();
        expect((await send("/me", { authorization, cookie })).status).toBe(401);
      },
    );

    test("are kept as hashes only, as are sessions and passwords", async () => {
      const { secret } = await createToken(parts(), {
        label: "ci",
        person: "ada",
        scopes: [],
        lastsMs: null,
      });
      const kept = JSON.stringify([await store.people.listTokens(), await store.people.listPeople()]);
      expect(kept).not.toContain(secret.slice(13));
      expect(kept).not.toContain(password);
    });
  });

  describe("administered", () => {
    test("need known roles, a name of their own and a password that is not short", async () => {
      const added = (request: Partial<Parameters<typeof addPerson>[1]>) =>
        refusalOf(addPerson(parts(), { name: "ben", roles: ["viewer"], password: null, ...request }));
      expect((await added({ roles: [] })).code).toBe("INVALID_REQUEST");
      expect((await added({ roles: ["wizard"] })).message).toContain("viewer, operator, approver, admin");
      expect((await added({ password: "short" })).message).toContain("at least 12");
      expect((await added({ name: "a\nb" })).code).toBe("INVALID_REQUEST");
      expect((await added({ name: "ada" })).code).toBe("PERSON_EXISTS");
      expect((await refusalOf(changePerson(parts(), "eve", { isDisabled: true }))).code).toBe(
        "PERSON_NOT_FOUND",
      );
      const token = { label: "x", person: "eve", scopes: [], lastsMs: null };
      expect((await refusalOf(createToken(parts(), token))).code).toBe("PERSON_NOT_FOUND");
      const wide = { ...token, person: "ada", scopes: ["everything"] };
      expect((await refusalOf(createToken(parts(), wide))).code).toBe("INVALID_REQUEST");
    });

    test("get a password that was made for them, and it lets them in", async () => {
      const { madePassword } = await addPerson(parts(), { name: "ben", roles: ["viewer"], password: null });
      const body = { name: "ben", password: madePassword ?? "" };
      expect((await send("/session", ownPage, { method: "POST", body })).status).toBe(201);
    });
  });
});
