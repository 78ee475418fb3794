/** The routes about the house itself, as data. */

import type { RouteHead } from "./route-head.ts";
import type { SettingsApiTypes } from "./settings-types.ts";

const read = { method: "GET", plan: "none" } as const;

/** Each by the name of its operation. */
export const SETTINGS_ROUTES: {
  readonly [Id in keyof SettingsApiTypes]: RouteHead & { readonly plan: "none" };
} = {
  showSignIn: {
    ...read,
    path: "/sign-in",
    verb: null,
    on: "anyone",
    isOpen: true,
    tag: "People",
    summary: "How to sign in",
  },
  showSettings: {
    ...read,
    path: "/settings",
    verb: null,
    on: "anyone",
    tag: "House",
    summary: "One's own roles, sessions and tokens, and how the server is set",
  },
  listPeople: {
    ...read,
    path: "/people",
    verb: "seePeople",
    on: "house",
    tag: "People",
    summary: "Everybody who may sign in, and every role with what it grants",
  },
};
