/** The house itself over the API: how to sign in, one's own sessions and tokens, who is known, how the server is set. */

import { ENGINE_VERSION } from "../../engine/version.ts";
import { listPeople } from "../../people/people.ts";
import { secretHash, SESSION_PREFIX } from "../../people/secrets.ts";
import { SESSION_IDLE_MS, SESSION_LASTS_MS } from "../../people/sign-in.ts";
import { BULK_CASES_MAX } from "../../store/bulk-port.ts";
import { LIST_LIMIT_MAX } from "../../store/port.ts";
import type { Call, Handler } from "./call.ts";
import { API_VERSION } from "./route-head.ts";
import { BODY_BYTES_MAX } from "./read-request.ts";
import type { SessionView, SettingsApiTypes, TokenView } from "./settings-types.ts";

/** Every route's. */
export const SETTINGS_HANDLERS: { readonly [Id in keyof SettingsApiTypes]: Handler<Id> } = {
  showSignIn: ({ parts }) => Promise.resolve({ reply: { hasOidc: parts.hasOidc } }),
  showSettings: async (call) => {
    const { store, sources, served } = call.parts;
    const [now, schema, sessions, tokens] = await Promise.all([
      store.now(),
      store.checkSchema(),
      ownSessions(call),
      ownTokens(call),
    ]);
    const reply = {
      now,
      roles: call.who.person?.roles ?? [],
      sessions,
      tokens,
      versions: { build: served.build, api: API_VERSION, engine: ENGINE_VERSION, schema },
      limits: {
        sessionIdleMs: SESSION_IDLE_MS,
        sessionLastsMs: SESSION_LASTS_MS,
        bodyBytesMax: BODY_BYTES_MAX,
        listMax: LIST_LIMIT_MAX,
        bulkCasesMax: BULK_CASES_MAX,
      },
      retention: sources.map(({ name, keepBodiesMs, rememberMs }) => ({
        source: name,
        keepBodiesMs,
        rememberMs,
      })),
    };
    return { reply };
  },
  listPeople: async ({ parts: { store, roles } }) => ({
    reply: {
      people: await listPeople(store),
      roles: [...roles].map(([name, grants]) => ({ name, grants })),
    },
  }),
};

async function ownSessions({ parts, who, from }: Call<"showSettings">): Promise<readonly SessionView[]> {
  if (who.person === null) return [];
  const own = from.sessionToken === null ? null : secretHash(from.sessionToken, SESSION_PREFIX);
  const sessions = await parts.store.people.listSessions(who.person.personId);
  return sessions.map(({ sessionHash, usedAt, endsAt }) => ({ usedAt, endsAt, isThis: sessionHash === own }));
}

async function ownTokens({ parts, who }: Call<"showSettings">): Promise<readonly TokenView[]> {
  const { person } = who;
  if (person === null) return [];
  const tokens = await parts.store.people.listTokens();
  return tokens
    .filter(({ personId }) => personId === person.personId)
    .map(({ tokenId, label, scopes, createdAt, endsAt, revokedAt }) => ({
      tokenId,
      label,
      scopes,
      createdAt,
      endsAt,
      revokedAt,
    }));
}
