/** What can be said of schedules from how they are stored. Pure. */

import { overdueSince, type ScheduleStop } from "../core/schedule.ts";
import { formatUtc } from "../core/utc-time.ts";
import { finding, type Finding } from "./finding.ts";

/** What is known of one. */
export interface KnownSchedule {
  readonly name: string;
  readonly caseType: string;
  readonly nextAt: number | null;
  readonly pause: ScheduleStop | null;
  /** Slots that wait for the case before, or whose cases are to be started. */
  readonly slotsLeft: number;
}

/** A finding for each that is overdue, and for each that is declared no more while slots of it are left. */
export function examineSchedules(
  schedules: readonly KnownSchedule[],
  { declared, now }: { readonly declared: readonly string[]; readonly now: number },
): readonly Finding[] {
  return schedules.flatMap((one): readonly Finding[] => {
    const { name, caseType, slotsLeft } = one;
    if (!declared.includes(name)) {
      if (slotsLeft === 0) return [];
      const sentence = `${name} is declared no more, and ${sayLeft(slotsLeft)} of it will not be started.`;
      return [
        finding("SCHEDULE_REMOVED", { caseType }, { sentence, remedy: "schedules: the same name again" }),
      ];
    }
    const sinceAt = overdueSince(one, now);
    if (sinceAt === null) return [];
    const sentence = `A slot of ${name} has been due since ${formatUtc(sinceAt)}, and no process decides it.`;
    const remedy = "a server, a worker or foothold sweep with this configuration; else what their logs say";
    return [finding("SCHEDULE_OVERDUE", { caseType }, { sentence, remedy })];
  });
}

function sayLeft(slots: number): string {
  return slots === 1 ? "1 slot" : `${slots} slots`;
}
