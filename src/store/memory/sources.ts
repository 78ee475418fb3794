/** What the inbox of the memory store keeps of a source itself. */

import { SOURCES_MAX, type Reconciling, type SourceRetention } from "../inbox-port.ts";
import { frozenJsonb } from "./frozen.ts";
import { refill } from "./holders.ts";

/** How far lists were read, and how long sources keep what they took in. */
export class MemorySources {
  readonly #reconciling = new Map<string, Reconciling>();
  readonly #retentions = new Map<string, SourceRetention>();

  read(tenant: string, source: string): Reconciling {
    return this.#reconciling.get(nameOf(tenant, source)) ?? { readToAt: null, underWay: null };
  }

  write(tenant: string, source: string, reconciling: Reconciling): void {
    this.#reconciling.set(nameOf(tenant, source), frozenJsonb(reconciling));
  }

  note(sources: readonly SourceRetention[]): void {
    for (const noted of sources) {
      this.#retentions.set(nameOf(noted.tenant, noted.source), Object.freeze({ ...noted }));
    }
  }

  list(): readonly SourceRetention[] {
    const byName = [...this.#retentions].toSorted(([one], [other]) => (one < other ? -1 : 1));
    return byName.slice(0, SOURCES_MAX).map(([, noted]) => noted);
  }

  /** What is stored is frozen, so a copy of the maps is a copy of all. */
  copy(): () => void {
    const reconciling = [...this.#reconciling];
    const retentions = [...this.#retentions];
    return () => {
      refill(this.#reconciling, reconciling);
      refill(this.#retentions, retentions);
    };
  }
}

function nameOf(tenant: string, source: string): string {
  return JSON.stringify([tenant, source]);
}
