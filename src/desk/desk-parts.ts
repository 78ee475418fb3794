/** What every part of the desk works with. */

import type { Ports } from "../core/ports.ts";
import type { SecondRule } from "../core/second-person.ts";
import type { NoticeBook } from "../define/notice-book.ts";
import type { Registry } from "../define/registry.ts";
import type { ScheduleBook } from "../define/schedule.ts";
import type { Store } from "../store/port.ts";
import type { ActHead } from "./act-head.ts";
import type { LacksNow } from "./requests.ts";

/** What the desk is made of. */
export interface DeskParts {
  readonly store: Store;
  readonly registry: Registry;
  readonly schedules: ScheduleBook;
  readonly ports: Ports;
  readonly engineVersion: number;
  /** How long a page with an open repair may be silent, in ms. */
  readonly pageLeaseMs: number;
  /** The store's time. */
  readonly now: () => Promise<number>;
  /** How times are written in sentences. */
  readonly formatTime: (at: number) => string;
  /** Which moves need a second person. */
  readonly secondRules: readonly SecondRule[];
  /** Who the names of owners stand for, where an approval is for its owner alone; null = whoever has the right answers it. */
  readonly owners: NoticeBook["owners"] | null;
  /** What is asked before a move that somebody ordered earlier; null = whoever was allowed to order it may have it made. */
  readonly lacksNow: LacksNow | null;
  /** Whose act is being made, for its audit line; null = nobody's. */
  readonly act: ActHead | null;
}
