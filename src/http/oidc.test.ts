import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider } from "oidc-provider";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { BUILT_IN_ROLES } from "../core/rights.ts";
import { memoryStore } from "../store/memory/store.ts";
import type { Store } from "../store/port.ts";
import { cookieRules, peopleSignIn } from "./api/identity.ts";
import { testApp } from "./app.fixture.ts";
import type { App } from "./app.ts";
import { OIDC_PATH } from "./oidc.ts";

// A real provider on a real socket, on a machine that may be busy.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const origin = "https://foothold.example.com";
const secret = "a secret of the client";

/** Cookies as a browser keeps them, for one host. */
class Jar {
  private readonly cookies = new Map<string, string>();

  take(answer: Response): Response {
    for (const set of answer.headers.getSetCookie()) {
      const [pair = "", ...rest] = set.split("; ");
      const [name = "", ...value] = pair.split("=");
      if (rest.includes("Max-Age=0")) this.cookies.delete(name);
      else this.cookies.set(name, value.join("="));
    }
    return answer;
  }

  get header(): { readonly cookie: string } {
    return { cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ") };
  }
}

describe("signing in at an identity provider", () => {
  let server: Server;
  let issuer = "";
  let verified = true;
  let store: Store;
  let app: App;

  beforeAll(async () => {
    server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    // A server on TCP has an address with a port.
    issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const provider = new Provider(issuer, {
      clients: [
        { client_id: "foothold", client_secret: secret, redirect_uris: [`${origin}${OIDC_PATH}/callback`] },
      ],
      claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
      findAccount: (_context, id) => ({
        accountId: id,
        claims: () => ({ sub: id, email: `${id}@example.com`, email_verified: verified }),
      }),
      features: { devInteractions: { enabled: true } },
    });
    const handle = provider.callback();
    server.on("request", (request, response) => void handle(request, response));
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  beforeEach(async () => {
    verified = true;
    store = memoryStore();
    const cookie = cookieRules(true);
    app = testApp(store, {
      signIn: peopleSignIn(store.people, BUILT_IN_ROLES, cookie),
      reach: { kind: "public", origin },
      oidc: { issuer, clientId: "foothold", clientSecret: () => secret, allowsHttp: true },
    });
    await store.people.addPerson({
      personId: "p-1",
      name: "ada@example.com",
      passwordHash: null,
      roles: ["viewer"],
    });
  });

  const ask = (path: string, headers: object = {}): Promise<Response> =>
    Promise.resolve(
      app.request(
        new URL(path, origin).href,
        { headers: { host: "foothold.example.com", ...headers } },
        { incoming: { socket: { remoteAddress: "203.0.113.7" } } },
      ),
    );

  /** Walks through the provider's own pages, and gives the way back to us. */
  async function walk(start: string, login: string): Promise<string> {
    const jar = new Jar();
    let url = new URL(start, issuer);
    let body: string | null = null;
    for (let steps = 0; steps < 20; steps += 1) {
      const answer = jar.take(
        await fetch(url, {
          redirect: "manual",
          headers: {
            ...jar.header,
            ...(body === null ? {} : { "content-type": "application/x-www-form-urlencoded" }),
          },
          ...(body === null ? {} : { method: "POST", body }),
        }),
      );
      body = null;
      const location = answer.headers.get("location");
      const page = await answer.text();
      if (location !== null) {
        url = new URL(location, url);
        if (url.origin === origin) return url.href;
      } else {
        const isLogin = page.includes(`name="login"`);
        body = new URLSearchParams(
          isLogin ? { prompt: "login", login, password: "any" } : { prompt: "consent" },
        ).toString();
      }
    }
    throw new Error("the provider leads nowhere");
  }

  async function signIn(login: string): Promise<{ readonly jar: Jar; readonly answer: Response }> {
    const jar = new Jar();
    const begun = jar.take(await ask(OIDC_PATH));
    expect(begun.status).toBe(303);
    const back = await walk(begun.headers.get("location") ?? "", login);
    return { jar, answer: jar.take(await ask(back, jar.header)) };
  }

  test("lets in whoever is among our people by their verified mail address, with our own roles", async () => {
    const { jar, answer } = await signIn("ada");
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain(`http-equiv="refresh" content="0; url=/"`);
    expect(jar.header.cookie).toMatch(/^__Host-foothold=foothold_ses_[\w-]{43}$/);
    const me: unknown = await (await ask("/api/v1/me", jar.header)).json();
    expect(me).toEqual({
      name: "ada@example.com",
      signedInBy: "session",
      verbs: BUILT_IN_ROLES.get("viewer")?.[0]?.verbs,
    });
  });

  test("lets in nobody who is not among them, is disabled, or has a mail address that nobody verified", async () => {
    const stranger = await signIn("eve");
    expect(stranger.answer.status).toBe(403);
    verified = false;
    const unproved = await signIn("ada");
    expect(unproved.answer.status).toBe(401);
    verified = true;
    await store.people.changePerson("ada@example.com", { isDisabled: true });
    const disabled = await signIn("ada");
    expect(disabled.answer.status).toBe(403);
    for (const { jar } of [stranger, unproved, disabled]) {
      expect(jar.header.cookie).not.toContain("foothold_ses_");
    }
  });

  test("ends only in the browser that began it, and once", async () => {
    const jar = new Jar();
    const begun = jar.take(await ask(OIDC_PATH));
    const back = await walk(begun.headers.get("location") ?? "", "ada");
    expect((await ask(back)).status).toBe(401);
    const other = new Jar();
    other.take(await ask(OIDC_PATH));
    expect((await ask(back, other.header)).status).toBe(401);
    expect((await ask(back, jar.header)).status).toBe(200);
    expect((await ask(back, jar.header)).status).toBe(401);
  });

  test("says so where the provider does not answer, and tries again with the next sign-in", async () => {
    const away = testApp(store, {
      signIn: peopleSignIn(store.people, BUILT_IN_ROLES, cookieRules(true)),
      reach: { kind: "public", origin },
      oidc: {
        issuer: "http://127.0.0.1:9",
        clientId: "foothold",
        clientSecret: () => secret,
        allowsHttp: true,
      },
    });
    const answer = await away.request(
      `${origin}${OIDC_PATH}`,
      { headers: { host: "foothold.example.com" } },
      { incoming: { socket: { remoteAddress: "203.0.113.7" } } },
    );
    expect(answer.status).toBe(401);
    expect(await answer.text()).not.toContain(secret);
  });
});
