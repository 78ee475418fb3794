/** What a project tells the command line: `foothold.config.js` exports it by default. */

import type { CaseType } from "./case-type.ts";

/** A source of events, as the configuration names it. */
export interface ConfiguredSource {
  readonly kind: "source";
  readonly name: string;
}

/** A project's configuration. */
export interface FootholdConfig {
  /** The case types that workers run, the server plans and people start. */
  readonly cases: readonly CaseType[];
  /** Where events come from: what `defineSource` of `foothold/inbox` gave. Default: nowhere. */
  readonly sources?: readonly ConfiguredSource[];
  /** URL of the PostgreSQL to use where neither `--database` nor FOOTHOLD_DATABASE_URL names one. */
  readonly database?: string;
}

/** Gives a configuration its type. It is checked when it is loaded. */
export function defineConfig(config: FootholdConfig): FootholdConfig {
  return config;
}
