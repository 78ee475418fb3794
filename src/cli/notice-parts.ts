/** What telling owners is made of on the command line. */

import type { NoticeDeskParts } from "../notices/notice-desk.ts";
import type { NoticeParts } from "../notices/parts.ts";
import type { Opened } from "./open.ts";
import { formatTime } from "./times.ts";

/** How a process is reached, as far as what it tells depends on it. */
export interface NoticeReach {
  /** Where people reach the console, where the configuration does not say; null = nobody knows. */
  readonly consoleUrl: string | null;
  /** True where this machine itself may be told: `foothold dev`. */
  readonly reachesLoopback: boolean;
}

/** For looking, trying out and sending anew. */
export function noticeDeskParts(
  { store, registry, ports, notices }: Pick<Opened, "store" | "registry" | "ports" | "notices">,
  { consoleUrl, reachesLoopback }: NoticeReach,
): NoticeDeskParts {
  const sending = { consoleUrl: notices?.consoleUrl ?? consoleUrl, formatTime, reachesLoopback };
  return { store, registry, ports, book: notices, sending };
}

/** For telling; null = the configuration says nothing of notices. */
export function noticeParts(
  opened: Pick<Opened, "store" | "registry" | "ports" | "notices">,
  reach: NoticeReach,
): NoticeParts | null {
  return opened.notices === null ? null : { ...noticeDeskParts(opened, reach), book: opened.notices };
}
