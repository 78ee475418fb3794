/** Places in which requests are made that nobody here can see: they are named, so that no count is taken for whole. */

import type { Socket } from "node:net";
import { IOREDIS } from "./clients.ts";
import { BLIND_SPOTS } from "./evidence.ts";
import type { RequestBook } from "./request-book.ts";
import type { Subscription } from "./subscription.ts";

/** What to subscribe. */
export function otherSubscriptions(book: RequestBook): readonly Subscription[] {
  return [
    { channel: "child_process", onMessage: () => book.noteBlindSpot(BLIND_SPOTS.childProcess) },
    // It tells of each command once, however often it sends it.
    { channel: "tracing:ioredis:command:start", onMessage: () => book.noteUnseenClient(IOREDIS) },
    { channel: "worker_threads", onMessage: () => book.noteBlindSpot(BLIND_SPOTS.workerThread) },
    {
      channel: "net.client.socket",
      onMessage: (message) => {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Node's own documented shape
        book.noteSocket((message as { readonly socket: Socket }).socket);
      },
    },
  ];
}
