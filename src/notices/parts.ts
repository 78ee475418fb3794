/** What telling owners works with. */

import type { Ports } from "../core/ports.ts";
import type { NoticeBook } from "../define/notice-book.ts";
import type { Registry } from "../define/registry.ts";
import type { Store } from "../store/port.ts";
import type { SendParts } from "./channel.ts";

/** What telling owners works with. */
export interface NoticeParts {
  readonly store: Pick<Store, "notices" | "inbox" | "now">;
  readonly registry: Registry;
  readonly ports: Ports;
  readonly book: NoticeBook;
  readonly sending: SendParts;
}
