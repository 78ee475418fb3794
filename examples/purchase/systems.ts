/** The two outside systems of the example, as servers of their own in this process, and what their ledgers say. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { startErp } from "../services/erp.ts";
import type { RunningService, ServiceOptions } from "../services/http-service.ts";
import { startMail } from "../services/mail.ts";

/** Tries of each message that the mail service answers with 503. */
export const mailFailures = 2;

/** The systems, running. */
export interface RunningSystems {
  readonly erp: RunningService;
  readonly mail: RunningService;
  /** The folder of their ledgers. */
  readonly ledgers: string;
  stop(): Promise<void>;
}

/**
 * Starts both. Their ledgers are files in `folder`, so that they remember over a restart, as systems of others would.
 * The ports are the two after `port`, for people; where one is taken, any free one.
 */
export async function startSystems(folder: string, port: number): Promise<RunningSystems> {
  const ledgers = join(folder, "ledgers");
  mkdirSync(ledgers, { recursive: true });
  const erp = await startNear(startErp, port + 1, { ledgerFile: join(ledgers, "erp.jsonl") });
  try {
    const mail = await startNear(startMail, port + 2, {
      ledgerFile: join(ledgers, "mail.jsonl"),
      switches: { failFirstPerKey: mailFailures },
    });
    const stop = async (): Promise<void> => {
      await Promise.all([erp.stop(), mail.stop()]);
    };
    return { erp, mail, ledgers, stop };
  } catch (error) {
    await erp.stop();
    throw error;
  }
}

async function startNear(
  start: (options: ServiceOptions) => Promise<RunningService>,
  port: number,
  options: ServiceOptions,
): Promise<RunningService> {
  try {
    // The page may have any free port; then so may they.
    return await start({ ...options, port: port <= 2 || port > 65_535 ? 0 : port });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EADDRINUSE")) throw error;
    return start({ ...options, port: 0 });
  }
}
