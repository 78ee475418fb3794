/** The keys by which events find a case, and the shard that each key belongs to. */

import type { Digest } from "../core/basis.ts";
import type { CaseState } from "../core/case-state.ts";
import { canonicalJson } from "../core/json.ts";
import { isKeyText } from "../core/key-text.ts";
import type { CaseType } from "./case-type.ts";
import { factsOf } from "./facts.ts";

/** A key of a case. */
export interface CaseKey {
  readonly tenant: string;
  readonly caseType: string;
  readonly key: string;
}

/** The shard of a key: always the same, so that a unique constraint within a shard finds it in all of them. */
export function keyShard(digest: Digest, { tenant, caseType, key }: CaseKey, shardCount: number): number {
  const hash = digest(canonicalJson([tenant, caseType, key]));
  return Number.parseInt(hash.slice(0, 8), 16) % shardCount;
}

/** The further keys of a case now. Throws what the author's function throws. */
export function keysOfCase(caseType: CaseType, state: CaseState): readonly CaseKey[] {
  const keys = caseType.keys?.(factsOf(state)) ?? [];
  return keys.filter(isKeyText).map((key) => ({ tenant: state.tenant, caseType: state.caseType, key }));
}
