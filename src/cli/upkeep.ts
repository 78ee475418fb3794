/** The commands that look after the database: migrate and sweep. */

import { systemPorts } from "../engine/system.ts";
import { createSweep, type Sweep, type SweepReport } from "../engine/sweep.ts";
import { createSealer, sealAll, type Sealer } from "../desk/sealing.ts";
import type { ScheduleRunner } from "../desk/schedule-run.ts";
import type { Sampler } from "../desk/sampling.ts";
import { createInbox, type Inbox } from "../inbox/inbox.ts";
import type { InboxSweep } from "../inbox/sweep.ts";
import { createNoticeSweep, type NoticeSweep } from "../notices/sweep.ts";
import type { ProcessLog } from "../telemetry/logger.ts";
import { usage, type Call, type Command } from "./command.ts";
import { noticeParts } from "./notice-parts.ts";
import { DATABASE_OPTIONS } from "./database-options.ts";
import { open, type Opened, type OpenOptions } from "./open.ts";
import { LOG_OPTIONS, openLog } from "./process-log.ts";
import { runUntilStopped, sayStopping } from "./shutdown.ts";
import { say, sayJson, sayProgress } from "./terminal.ts";

/** Brings the schema up to date. */
export const migrateCommand: Command = {
  name: "migrate",
  summary: "bring the database up to date; makes an embedded one where none is named",
  positionals: [],
  options: [...DATABASE_OPTIONS, { name: "json", value: null, help: "print one JSON document" }],
  noServer: "it changes the schema of the database itself",
  notes: ["Safe while workers run, and when several do it at once."],
  run: async (call) => {
    const opened = await open(call, { definitions: "optional", choice: "any", mayCreate: true, poolMax: 2 });
    try {
      const report = await opened.store.migrate();
      if (call.flag("json")) sayJson(report);
      else if (report.applied.length === 0) say(`Up to date: schema version ${report.version}.`);
      else say(`Now at schema version ${report.version}; applied ${report.applied.join(", ")}.`);
    } finally {
      await opened.close();
    }
  },
};

/** The sweep by itself. */
export const sweepCommand: Command = {
  name: "sweep",
  summary: "free what lost workers hold and tell owners, until stopped or once",
  positionals: [],
  options: [
    ...DATABASE_OPTIONS,
    ...LOG_OPTIONS,
    { name: "once", value: null, help: "watch for the longest lease there is, free what is dead, and end" },
    { name: "json", value: null, help: "with --once: print one JSON document" },
  ],
  noServer: "it frees what lost workers hold in the database itself, with or without a server",
  notes: [
    "Every worker and server sweeps too; this is for a machine that runs neither, or for a timer.",
    "It also seals journals and the audit, as every server does and no worker, and starts what schedules have due.",
  ],
  run: async (call) => {
    if (call.flag("json") && !call.flag("once")) throw usage(call.command, "--json goes with --once.");
    return call.flag("once") ? sweepOnce(call) : sweepOn(call);
  },
};

async function sweepOn(call: Call): Promise<void> {
  const opening = await openLog(call, systemPorts().clock);
  const { log } = opening;
  const { onError, onReport } = log;
  let opened: Opened | null = null;
  let sweep: Sweep | null = null;
  let sealer: Sealer | null = null;
  let telling: NoticeSweep | null = null;
  let sampler: Sampler | null = null;
  let schedules: ScheduleRunner | null = null;
  let inbox: Inbox | null = null;
  let inboxSweep: InboxSweep | null = null;
  await runUntilStopped({
    start: async () => {
      opened = await open(call, sweepOpen);
      const { store, ports, place } = opened;
      await store.checkSchema();
      sweep = createSweep({ store, ports, onReport });
      sweep.start();
      inbox = inboxOf(opened, log);
      inboxSweep = inbox.sweep();
      inboxSweep.start();
      sealer = createSealer({ store, ports, onError });
      sealer.start();
      telling = noticeSweep(opened, log);
      telling?.start();
      if (opened.registry.all.length > 0) sampler = opened.desk.sampler({ onError });
      sampler?.start();
      schedules = opened.desk.scheduleRunner({ onError });
      schedules.start();
      opening.tellStart({
        event: "started",
        sentence: `sweeping ${place}`,
        facts: { command: "sweep", database: place },
      });
      if (opening.greets) say(`Sweeping ${place}. Ctrl-C stops it.`);
    },
    onStopping: (signal) => log.tell({ event: "stopping", sentence: sayStopping(signal), facts: { signal } }),
    stop: async () => {
      await schedules?.stop();
      await sampler?.stop();
      await sealer?.stop();
      await inboxSweep?.stop();
      await inbox?.close();
      await sweep?.stop();
      await telling?.stop();
      await opened?.close();
      opening.close();
    },
  });
}

/** Swept also where no source is declared: other processes may have some, or there were some once. */
function inboxOf({ store, ports, sources }: Opened, { onInboxReport }: ProcessLog): Inbox {
  return createInbox({ store, sources, ports, onReport: onInboxReport });
}

/** Null = the configuration says nothing of notices. */
function noticeSweep(opened: Opened, { onNoticeReport: onReport }: ProcessLog): NoticeSweep | null {
  const parts = noticeParts(opened, { consoleUrl: null, reachesLoopback: false });
  return parts === null ? null : createNoticeSweep({ parts, onReport });
}

const sweepOpen: OpenOptions = { definitions: "optional", choice: "any", mayCreate: false, poolMax: 2 };

/** How often a single sweep looks while it watches, in ms. */
const WATCH_EVERY_MS = 500;

/** A holder counts as dead only when its beat was watched for a lease; so "once" takes as long as the longest lease. */
async function sweepOnce(call: Call): Promise<void> {
  const opening = await openLog(call, systemPorts().clock);
  const { log } = opening;
  const opened = await open(call, sweepOpen);
  const { store, ports } = opened;
  try {
    await store.checkSchema();
    const sweep = createSweep({ store, ports });
    const holders = await store.listHolders();
    const watchMs = Math.max(
      0,
      ...holders.filter((one) => one.endedAt === null).map(({ leaseMs }) => leaseMs),
    );
    const passes = [await sweep.sweepOnce()];
    const endAt = ports.clock.monotonic() + watchMs;
    while (ports.clock.monotonic() < endAt) {
      const leftMs = endAt - ports.clock.monotonic();
      const [passed, all] = [watchMs - leftMs, watchMs].map((ms) => Math.round(ms / 1_000));
      sayProgress(`watching ${holders.length} holders: ${passed} of ${all} s`);
      await ports.clock.sleep(Math.min(WATCH_EVERY_MS, leftMs + 1));
      passes.push(await sweep.sweepOnce());
    }
    sayProgress(null);
    await inboxOf(opened, log).sweep().sweepOnce();
    await sealAll({ store, ports });
    await noticeSweep(opened, log)?.sweepOnce();
    await opened.desk.scheduleRunner({ onError: log.onError }).runOnce();
    sayPasses(call, passes);
  } finally {
    await opened.close();
    opening.close();
  }
}

function sayPasses(call: Call, passes: readonly SweepReport[]): void {
  const endedHolders = passes.flatMap((one) => one.endedHolders);
  const freedClaims = passes.flatMap((one) => one.freedClaims);
  const failed = passes.at(-1)?.failed ?? [];
  if (call.flag("json")) {
    const failures = failed.map(({ caseId, error }) => ({ caseId, error: String(error) }));
    sayJson({ endedHolders, freedClaims, failed: failures });
    return;
  }
  for (const { name, holderId } of endedHolders) say(`${name} (${holderId}) fell silent.`);
  for (const { caseId } of freedClaims) say(`${caseId}: freed; it can be taken again.`);
  for (const { caseId, error } of failed) say(`${caseId}: could not be freed: ${String(error)}`);
  if (endedHolders.length + freedClaims.length + failed.length === 0) say("Nothing was lost.");
}
