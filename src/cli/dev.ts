/** Everything of `foothold dev` but its options, its lines and its signals, for programs that bring their own. */

import { hostname } from "node:os";
import { invariant } from "../core/errors.ts";
import type { Clock } from "../core/ports.ts";
import type { CaseType } from "../define/case-type.ts";
import { registryOf } from "../define/registry.ts";
import { scheduleBookOf, type Schedule } from "../define/schedule.ts";
import { createDesk, type Desk } from "../desk/desk.ts";
import type { OnReport } from "../engine/report.ts";
import { systemPorts } from "../engine/system.ts";
import { openTelemetryMeasuring } from "../telemetry/open-telemetry-figures.ts";
import { createLog, type Logger } from "../telemetry/logger.ts";
import { openTelemetryTracing } from "../telemetry/open-telemetry.ts";
import { ENGINE_VERSION } from "../engine/version.ts";
import { BUILT_IN_ROLES } from "../core/rights.ts";
import { formatUtc } from "../core/utc-time.ts";
import type { Source } from "../inbox/source.ts";
import type { Store } from "../store/port.ts";
import { accountName } from "./account-name.ts";
import { openBrowser } from "./browser.ts";
import { packageVersion } from "./package-version.ts";
import { startParts, type PartsOptions } from "./parts.ts";

/** Port of the server where none is named. */
export const PORT = 4680;

/** What to run. */
export interface DevOptions {
  /** An open store; its schema is brought up to date. It stays open when all else stops. */
  readonly store: Store;
  readonly cases: readonly CaseType[];
  /** What starts cases by the clock. Default: nothing does. */
  readonly schedules?: readonly Schedule[];
  /** Where events come from, at `/inbox/` and the name of each. Default: nowhere. */
  readonly sources?: readonly Source[];
  /** Port on 127.0.0.1; 0 = any free one. Default 4680. */
  readonly port?: number;
  /** Name of the worker for people. Default `w-` and the process id. */
  readonly name?: string;
  /** How long a worker may be silent, this one or one in another place, in ms. Default 10,000. */
  readonly leaseMs?: number;
  /** True = the page is opened in a browser where a person watches the terminal. Default false. */
  readonly opensPage?: boolean;
  /** Takes the lines of the log; a logger of `pino` is one. Default: nothing is logged. */
  readonly logger?: Logger;
  readonly onReport?: OnReport;
  /** Told of what the server could not answer for. Default: nothing is told. */
  readonly onError?: (error: unknown) => void;
}

/** Server, worker and sweep, running. */
export interface Dev {
  /** Address of the page, without a slash at the end. */
  readonly url: string;
  /** What people may do to cases; what it makes due is taken at once by the worker here. */
  readonly desk: Desk;
  /** Stops all of it; what runs is finished first. Safe twice. */
  stop(): Promise<void>;
}

/**
 * Starts server, worker and sweep in this process. Throws `INVALID_DEFINITION`, `PORT_IN_USE`, `MIGRATION_FAILED`,
 * `SCHEMA_TOO_NEW` or `DATABASE_UNAVAILABLE`; then nothing runs.
 */
export async function startDev(options: DevOptions): Promise<Dev> {
  const { store, port = PORT, name = `w-${process.pid}`, leaseMs } = options;
  const registry = registryOf(options.cases);
  const schedules = scheduleBookOf(options.schedules ?? [], registry);
  const ports = { ...systemPorts(), tracing: openTelemetryTracing(), measuring: openTelemetryMeasuring() };
  await store.migrate();
  const desk = createDesk({
    store,
    registry,
    schedules,
    ports,
    engineVersion: ENGINE_VERSION,
    formatTime: formatUtc,
  });
  const build = `foothold ${packageVersion()}`;
  const parts = await startParts({
    store,
    registry,
    ports,
    desk,
    roles: BUILT_IN_ROLES,
    sources: options.sources ?? [],
    server: {
      host: "127.0.0.1",
      port,
      reach: { kind: "loopback" },
      everybody: accountName(),
      served: { host: hostname(), build },
    },
    worker: { name, host: hostname(), build, ...(leaseMs === undefined ? {} : { leaseMs }) },
    ...reportsOf(options, ports.clock),
  });
  invariant(parts.server !== null, "the server that was asked for does not run");
  const { url } = parts.server;
  if (options.opensPage === true) openBrowser(url);
  return { url, desk, stop: () => parts.stop() };
}

function reportsOf(
  { logger, onReport = () => undefined, onError = () => undefined }: DevOptions,
  clock: Clock,
): Pick<PartsOptions, "onReport" | "onInboxReport" | "onNoticeReport" | "onError"> {
  if (logger === undefined) return { onReport, onError };
  const log = createLog({ logger, clock });
  return {
    ...log,
    onReport: (report) => {
      log.onReport(report);
      onReport(report);
    },
    onError: (error) => {
      log.onError(error);
      onError(error);
    },
  };
}
