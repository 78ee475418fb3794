/** A thread that reads large bodies: see reading-threads.ts. */

import { parentPort } from "node:worker_threads";
import { readContent, withoutBulk } from "./content.ts";
import type { ReadingJob, ReadingReply } from "./reading-threads.ts";

// Only reading-threads.ts starts this file, and sends nothing else.
parentPort?.on("message", (job: ReadingJob) => void answer(job));
tell({ kind: "ready" });

async function answer({ arrival, preset }: ReadingJob): Promise<void> {
  const content = withoutBulk(await readContent(arrival, preset));
  tell({ kind: "read", content });
}

function tell(reply: ReadingReply): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that of windows has one, a thread's has none
  parentPort?.postMessage(reply);
}
