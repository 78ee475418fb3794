/** What a person chose on this browser: theme, whether lists follow by themselves, whether single keys act. */

import { useSyncExternalStore } from "react";

/** The choices. */
export interface Settings {
  readonly theme: "auto" | "light" | "dark";
  /** Where exact times are told: in this browser's zone, or in UTC. */
  readonly zone: "local" | "utc";
  readonly isLive: boolean;
  readonly hasKeys: boolean;
}

const KEY = "foothold.console";
const listeners = new Set<() => void>();
let settings = read();

function read(): Settings {
  const stored = parse(storage()?.getItem(KEY) ?? "{}");
  const theme = stored["theme"];
  return {
    theme: theme === "light" || theme === "dark" ? theme : "auto",
    zone: stored["zone"] === "utc" ? "utc" : "local",
    isLive: stored["isLive"] !== false,
    hasKeys: stored["hasKeys"] !== false,
  };
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

/** A browser may refuse to store anything; then choices last as long as the page. */
function storage(): Storage | null {
  try {
    return globalThis.localStorage;
  } catch {
    return null;
  }
}

/** Changes some of them. */
export function choose(changed: Partial<Settings>): void {
  settings = { ...settings, ...changed };
  try {
    storage()?.setItem(KEY, JSON.stringify(settings));
  } catch {
    // Full or refused: the choice holds until the page is left.
  }
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The present ones. */
export function useSettings(): Settings {
  return useSyncExternalStore(subscribe, () => settings);
}

/** The present ones, outside of components. */
export function currentSettings(): Settings {
  return settings;
}
