/** The app over any store, as `foothold dev` serves it, and requests as its own server hands them over. */

import type { Desk } from "../desk/desk.ts";
import { testDesk, testRegistry } from "../desk/purchase.fixture.ts";
import type { Registry } from "../define/registry.ts";
import { systemPorts } from "../engine/system.ts";
import type { Source } from "../inbox/source.ts";
import type { Store } from "../store/port.ts";
import { BUILT_IN_ROLES } from "../core/rights.ts";
import type { OidcOptions } from "../define/config.ts";
import type { NoticeDeskParts } from "../notices/notice-desk.ts";
import type { Reach } from "./loopback.ts";
import { cookieRules, devSignIn, type SignIn } from "./api/identity.ts";
import { createApp, type App } from "./app.ts";

/** What the Node server hands over for a request from this machine. */
export const fromHere = { incoming: { socket: { remoteAddress: "127.0.0.1" } } };

/** What differs between tests. */
export interface TestAppOptions {
  readonly signIn?: SignIn;
  readonly reach?: Reach;
  readonly oidc?: OidcOptions | null;
  readonly sources?: readonly Source[];
  readonly notices?: NoticeDeskParts;
  readonly errors?: unknown[];
  /** Default: that of purchases. */
  readonly registry?: Registry;
  /** Default: one of the same store. */
  readonly desk?: Desk;
}

/** An app whose times read as UTC. Everybody is "ada" and may do everything, unless another sign-in is given. */
export function testApp(
  store: Store,
  {
    signIn = devSignIn("ada"),
    reach = { kind: "loopback" },
    oidc = null,
    sources = [],
    notices,
    errors = [],
    registry = testRegistry,
    desk = testDesk(store, registry),
  }: TestAppOptions = {},
): App {
  return createApp({
    desk,
    store,
    registry,
    ports: systemPorts(),
    sources,
    formatTime: (at) => `${new Date(at).toISOString()} UTC`,
    signIn,
    roles: BUILT_IN_ROLES,
    cookie: cookieRules(reach.kind === "public"),
    reach,
    oidc,
    streamBeatMs: 50,
    served: { host: "host-1", build: "build-1" },
    onError: (error) => errors.push(error),
    ...(notices === undefined ? {} : { notices }),
  });
}
