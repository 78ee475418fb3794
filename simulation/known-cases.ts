/** The cases of a run: those that people started, and those that these started. */

import { LIST_LIMIT_MAX, type Store } from "../src/store/port.ts";

/** Cases of one run. */
export class KnownCases {
  readonly #store: Store;
  readonly #roots: string[] = [];
  #children: readonly string[] = [];

  constructor(store: Store) {
    this.#store = store;
  }

  add(caseId: string): void {
    this.#roots.push(caseId);
  }

  /** What people started. */
  get roots(): readonly string[] {
    return this.#roots;
  }

  /** With those that others started, as of the last look. */
  get all(): readonly string[] {
    return this.#children.length === 0 ? this.#roots : [...this.#roots, ...this.#children];
  }

  /** Looks for cases that others started. */
  async look(): Promise<void> {
    const { rows } = await this.#store.listCases({ limit: LIST_LIMIT_MAX });
    const children = rows.filter(({ summary }) => summary.parent !== undefined);
    this.#children = children.map(({ caseId }) => caseId).toReversed();
  }
}
