/**
 * Signing in at an identity provider (OpenID Connect: code flow with PKCE, state and nonce). The provider says who somebody
 * is; whether they may sign in and what they may do stands in our own list of people.
 *
 * What a try must remember lies in a cookie of the browser that began it, so that nobody else's browser can end it. It is
 * `SameSite=Lax`, since the way back comes from another site; the session's own is `Strict`, so the last step is a page of
 * ours that leads on.
 */

import { Hono, type Context } from "hono";
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  discovery,
  fetchUserInfo,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  type Configuration,
} from "openid-client";
import { z } from "zod";
import { FootholdError } from "../core/errors.ts";
import type { OidcOptions } from "../define/config.ts";
import { openSession, type SignInParts } from "../people/sign-in.ts";
import { cookieHeader, cookieToken, type CookieRules } from "./api/identity.ts";
import { API_BASE } from "./api/routes.ts";

/** Where a sign-in begins. */
export const OIDC_PATH: string = `${API_BASE}/session/oidc`;
const CALLBACK_PATH = `${OIDC_PATH}/callback`;
/** How long a try may take, in seconds. */
const TRY_S_MAX = 600;
/** How long the provider may take to answer, in seconds. */
const ANSWER_S_MAX = 10;

/** What the sign-in is made of. */
export interface OidcParts {
  readonly oidc: OidcOptions;
  readonly store: SignInParts["store"];
  readonly ids: SignInParts["ids"];
  readonly cookie: CookieRules;
  /** Of this server, as people reach it. */
  readonly origin: string;
}

const tried = z.strictObject({ state: z.string(), nonce: z.string(), verifier: z.string() });

/** The two routes: the way to the provider, and the way back. */
export function createOidc(parts: OidcParts): Hono {
  const app = new Hono();
  const { oidc, origin } = parts;
  const rules: CookieRules = { ...parts.cookie, name: `${parts.cookie.name}-oidc` };
  let known: Promise<Configuration> | null = null;
  const configure = (): Promise<Configuration> => {
    // Asked once; what failed is asked again with the next sign-in.
    known ??= discover(oidc).catch((error: unknown) => {
      known = null;
      throw notAnswered(error);
    });
    return known;
  };

  app.get(OIDC_PATH, async (c) => {
    const config = await configure();
    const [state, nonce, verifier] = [randomState(), randomNonce(), randomPKCECodeVerifier()];
    const url = buildAuthorizationUrl(config, {
      redirect_uri: origin + CALLBACK_PATH,
      scope: "openid email profile",
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      state,
      nonce,
    });
    c.header("Set-Cookie", tryCookie(rules, { state, nonce, verifier }));
    return c.redirect(url.href, 303);
  });

  app.get(CALLBACK_PATH, async (c) => {
    const begun = readTry(cookieToken(rules, c.req.header("cookie")));
    const config = await configure();
    const name = await nameOf(config, parts, new URL(c.req.url).search, begun);
    const person = await parts.store.people.findPerson(name);
    if (person === null || person.disabledAt !== null) throw unknownPerson(name);
    const token = await openSession(parts, person, "provider");
    return leadOn(c, [cookieHeader(parts.cookie, token), cookieHeader(rules, null)]);
  });
  return app;
}

function discover({ issuer, clientId, clientSecret, allowsHttp }: OidcOptions): Promise<Configuration> {
  return discovery(new URL(issuer), clientId, clientSecret(), undefined, {
    timeout: ANSWER_S_MAX,
    // oxlint-disable-next-line typescript/no-deprecated -- marked so that it stands out; only where the configuration says so
    ...(allowsHttp === true ? { execute: [allowInsecureRequests] } : {}),
  });
}

/** What the provider calls whoever signed in. Throws `NOT_SIGNED_IN` for an answer that is not to be believed. */
async function nameOf(
  config: Configuration,
  { oidc, origin }: OidcParts,
  search: string,
  begun: z.infer<typeof tried>,
): Promise<string> {
  const claim = oidc.claim ?? "email";
  let claims: Readonly<Record<string, unknown>>;
  try {
    // The address that the provider was told, whatever a proxy made of it.
    const tokens = await authorizationCodeGrant(config, new URL(CALLBACK_PATH + search, origin), {
      expectedState: begun.state,
      expectedNonce: begun.nonce,
      pkceCodeVerifier: begun.verifier,
      idTokenExpected: true,
    });
    const told = tokens.claims();
    const subject = told?.sub ?? "";
    claims = told?.[claim] === undefined ? await fetchUserInfo(config, tokens.access_token, subject) : told;
  } catch (error) {
    throw new FootholdError(
      "NOT_SIGNED_IN",
      "The identity provider's answer was not accepted. Sign in again.",
      {
        cause: error,
      },
    );
  }
  const name = claims[claim];
  // An address that anybody may claim names nobody.
  const isProved = claim !== "email" || claims["email_verified"] === true;
  if (typeof name === "string" && name !== "" && isProved) return name;
  const lacks = isProved ? `does not tell "${claim}"` : "has not verified the mail address";
  throw new FootholdError(
    "NOT_SIGNED_IN",
    `The identity provider ${lacks}, so nobody knows who you are here.`,
  );
}

function tryCookie({ name, isSecure }: CookieRules, begun: z.infer<typeof tried>): string {
  const value = Buffer.from(JSON.stringify(begun)).toString("base64url");
  return `${name}=${value}; Path=/; Max-Age=${TRY_S_MAX}; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;
}

function readTry(value: string | null): z.infer<typeof tried> {
  try {
    return tried.parse(JSON.parse(Buffer.from(value ?? "", "base64url").toString("utf8")));
  } catch (error) {
    throw new FootholdError(
      "NOT_SIGNED_IN",
      "This browser did not begin a sign-in, or too long ago. Begin it again.",
      { cause: error },
    );
  }
}

/** A redirect from here would still count as coming from the provider's site, and carry no session. */
function leadOn(c: Context, cookies: readonly string[]): Response {
  for (const cookie of cookies) c.header("Set-Cookie", cookie, { append: true });
  return c.html(
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=/">` +
      `<title>Signed in</title><p>Signed in. <a href="/">Go on</a></p></html>`,
  );
}

function unknownPerson(name: string): FootholdError {
  return new FootholdError(
    "NOT_ALLOWED",
    `${JSON.stringify(name.slice(0, 100))} is not among the people of this server, or is disabled. Somebody who ` +
      `administers it can add that name: foothold people add NAME --role ROLE`,
  );
}

function notAnswered(cause: unknown): FootholdError {
  return new FootholdError(
    "NOT_SIGNED_IN",
    "The identity provider does not answer as one. Try again later.",
    {
      cause,
    },
  );
}
