/** What the API tells of the house itself. */

import { z } from "zod";
import { VERBS, type Grant } from "../../../core/rights.ts";
import type { PeopleView, PersonView, RoleView, SettingsView, SignInWays } from "../settings-types.ts";
import { count, list, named, text, time, timeOrNone, typed } from "./schema.ts";

/** How to sign in. */
export const signInWays: z.ZodType<SignInWays> = typed<SignInWays>()(
  z.strictObject({ hasOidc: z.boolean() }),
);

/** One's own standing, and how the server is set. */
export const settings: z.ZodType<SettingsView> = named<SettingsView>("Settings")(
  z.strictObject({
    now: time,
    roles: list(text),
    sessions: list(z.strictObject({ usedAt: time, endsAt: time, isThis: z.boolean() })),
    tokens: list(
      z.strictObject({
        tokenId: text,
        label: text,
        scopes: list(text).nullable(),
        createdAt: time,
        endsAt: timeOrNone,
        revokedAt: timeOrNone,
      }),
    ),
    versions: z.strictObject({ build: text, api: text, engine: count, schema: count }),
    limits: z.strictObject({
      sessionIdleMs: count,
      sessionLastsMs: count,
      bodyBytesMax: count,
      listMax: count,
      bulkCasesMax: count,
    }),
    retention: list(z.strictObject({ source: text, keepBodiesMs: count, rememberMs: count })),
  }),
);

const person = named<PersonView>("Person")(
  z.strictObject({
    personId: text,
    name: text,
    roles: list(text),
    createdAt: time,
    disabledAt: timeOrNone,
  }),
);

const some = z.union([z.literal("all"), list(text)]);

const grant = named<Grant>("Grant")(
  z.strictObject({
    verbs: z.union([z.literal("all"), list(z.enum(VERBS))]),
    tenants: some,
    caseTypes: some,
  }),
);

const role = named<RoleView>("Role")(z.strictObject({ name: text, grants: list(grant) }));

/** Everybody who is known, and every role. */
export const peopleView: z.ZodType<PeopleView> = named<PeopleView>("People")(
  z.strictObject({ people: list(person), roles: list(role) }),
);
