/** The refused requests that the memory store holds. */

import { SWEEP_MAX, type Refusal, type RefusalCount } from "../inbox-port.ts";
import { frozenJsonb } from "./frozen.ts";

/** All of them, in the order in which they were noted. */
export class MemoryRefusals {
  private noted: readonly Refusal[] = [];

  note(refusals: readonly Refusal[]): void {
    const fresh = refusals.filter(({ refusalId }) => !this.noted.some((one) => one.refusalId === refusalId));
    this.noted = [...this.noted, ...fresh.map((one) => frozenJsonb(one))];
  }

  /** Newest first. */
  list(limit: number): readonly Refusal[] {
    return this.noted.toReversed().slice(0, limit);
  }

  /** By source and reason, in their order. */
  countAfter(after: number): readonly RefusalCount[] {
    const counts = new Map<string, RefusalCount>();
    for (const { source, reason, count } of this.noted.filter(({ at }) => at > after)) {
      const name = JSON.stringify([source, reason]);
      counts.set(name, { source, reason, count: (counts.get(name)?.count ?? 0) + count });
    }
    return [...counts].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, counted]) => counted);
  }

  forget({ tenant, source }: Pick<Refusal, "tenant" | "source">, before: number): number {
    const old = this.noted
      .filter((one) => one.tenant === tenant && one.source === source && one.at < before)
      .slice(0, SWEEP_MAX);
    this.noted = this.noted.filter((one) => !old.includes(one));
    return old.length;
  }

  /** Gives what puts back what is held now. */
  copy(): () => void {
    const kept = this.noted;
    return () => (this.noted = kept);
  }
}
