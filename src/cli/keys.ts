/** `keys …`: which keys payloads are sealed with, turning them to the first one, and giving one up. */

import { REWRAP_MAX, type StoredKey, type UnturnedPayload } from "../store/key-port.ts";
import type { Store } from "../store/port.ts";
import { JSON_OPTION } from "./act.ts";
import { needed, type Call, type Command } from "./command.ts";
import { EXIT_CODES, type ExitCode } from "./exit-codes.ts";
import { DATABASE_OPTIONS } from "./database-options.ts";
import { open } from "./open.ts";
import { say, sayJson } from "./terminal.ts";
import { formatTime } from "./times.ts";

/** Payloads that could not be turned, told by name at most. */
const UNTURNED_SHOWN_MAX = 20;
/** Batches between two lines of progress. */
const BATCHES_A_LINE = 50;

const NO_SERVER = "it needs the keys of this configuration, which no server gives away";

/** Lists them. */
export const keysListCommand: Command = {
  name: "keys list",
  summary: "list the keys that payloads are sealed with, and what this configuration can do with each",
  positionals: [],
  options: [JSON_OPTION, ...DATABASE_OPTIONS],
  noServer: NO_SERVER,
  notes: [],
  run: (call) =>
    withStore(call, async (store) => {
      const keys = await store.keys.list();
      if (call.flag("json")) sayJson({ keys });
      else sayKeys(keys);
    }),
};

/** Turns payloads to the first key. */
export const keysRotateCommand: Command = {
  name: "keys rotate",
  summary: "turn all that is sealed to the first configured key, so that older ones may be removed",
  positionals: [],
  options: [JSON_OPTION, ...DATABASE_OPTIONS],
  noServer: NO_SERVER,
  notes: [
    `Safe while workers run. It goes on in batches of ${REWRAP_MAX}; broken off, begin it anew: what is turned stays so.`,
    "Ends with code 7 while another key is still needed, and says why.",
  ],
  run: (call) => withStore(call, (store) => rotate(call, store)),
};

/** Gives a key up. */
export const keysLostCommand: Command = {
  name: "keys lost",
  summary: "say that nobody has a key any more, so that the cases without it go on",
  positionals: ["KEY"],
  options: [JSON_OPTION, ...DATABASE_OPTIONS],
  noServer: NO_SERVER,
  notes: [
    "Cases with payloads of that key are set aside as unreadable. To find the key later, add it again.",
  ],
  run: (call) =>
    withStore(call, async (store) => {
      const keyId = needed(call, 0);
      const isLost = await store.keys.lose(keyId);
      if (call.flag("json")) sayJson({ keyId, isLost });
      else if (isLost) say(`The key ${keyId} is given up. Workers see it within 10 s.`);
      else say(`No key ${keyId} is in use.`);
      return isLost ? EXIT_CODES.ok : EXIT_CODES.notFound;
    }),
};

/** Not checked for keys that are missing here: they are what these commands are about. */
async function withStore(
  call: Call,
  work: (store: Store) => Promise<ExitCode | void>,
): Promise<ExitCode | void> {
  const opened = await open(call, { definitions: "optional", choice: "any", mayCreate: false, poolMax: 2 });
  try {
    return await work(opened.store);
  } finally {
    await opened.close();
  }
}

async function rotate(call: Call, store: Store): Promise<ExitCode> {
  const isJson = call.flag("json");
  const startedAt = await store.now();
  const unturned: UnturnedPayload[] = [];
  let [seen, turned, batches] = [0, 0, 0];
  let next: string | null = null;
  do {
    const page = await store.keys.rewrap(next);
    seen += page.seen;
    turned += page.turned;
    unturned.push(...page.unturned);
    batches += 1;
    if (!isJson && batches % BATCHES_A_LINE === 0) say(`${seen} payloads looked at, ${turned} turned.`);
    ({ next } = page);
  } while (next !== null);
  const retired = unturned.length === 0 ? await store.keys.retire(startedAt) : [];
  const left = (await store.keys.list()).filter(({ state, here }) => state === "inUse" && here !== "seals");
  if (isJson) sayJson({ seen, turned, unturned, retired, left });
  else sayRotated({ seen, turned, unturned, retired, left });
  return left.length === 0 ? EXIT_CODES.ok : EXIT_CODES.findings;
}

interface Rotated {
  readonly seen: number;
  readonly turned: number;
  readonly unturned: readonly UnturnedPayload[];
  readonly retired: readonly string[];
  readonly left: readonly StoredKey[];
}

function sayRotated({ seen, turned, unturned, retired, left }: Rotated): void {
  say(`${seen} payloads were looked at, and ${turned} turned to the first key.`);
  for (const { place, why } of unturned.slice(0, UNTURNED_SHOWN_MAX)) say(`${place}: not turned; ${why}.`);
  if (unturned.length > UNTURNED_SHOWN_MAX) say(`and ${unturned.length - UNTURNED_SHOWN_MAX} more.`);
  for (const keyId of retired) say(`The key ${keyId} is needed no more: take it out of the configuration.`);
  for (const { keyId, usedAt } of left) {
    const why =
      unturned.length > 0
        ? "payloads are left that could not be turned"
        : `a process sealed with it at ${formatTime(usedAt)}. Start all with the new first key, wait 5 minutes, and run this again`;
    say(`The key ${keyId} is still needed: ${why}.`);
  }
}

function sayKeys(keys: readonly StoredKey[]): void {
  if (keys.length === 0) return say("Nothing is sealed: no codec was ever used.");
  for (const { codec, keyId, state, here, firstUsedAt, usedAt } of keys) {
    const able = { seals: "seals here", opens: "opens here", missing: "missing here" }[here];
    const standing = state === "lost" ? "lost" : able;
    say(
      `${keyId} of ${codec}: ${standing}; since ${formatTime(firstUsedAt)}, last at ${formatTime(usedAt)}.`,
    );
  }
}
