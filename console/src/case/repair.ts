/** The repair that this page has open on a case: kept alive while the page is there, and found again after a reload. */

import { useEffect, useState } from "react";
import { api, asRefusal } from "../api.ts";

/** An open repair of this page. */
interface OwnRepair {
  readonly repairId: string;
  readonly beatEveryMs: number;
}

/** The repair and how it changes. */
export interface RepairHandle {
  readonly own: OwnRepair | null;
  /** Why it is over without this page having ended it; null = nothing of the kind. */
  readonly over: string | null;
  readonly set: (repair: OwnRepair | null) => void;
}

const keyOf = (caseId: string): string => `foothold.repair.${caseId}`;

function read(caseId: string): OwnRepair | null {
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(keyOf(caseId)) ?? "null");
    if (typeof value !== "object" || value === null || !("repairId" in value) || !("beatEveryMs" in value))
      return null;
    const { repairId, beatEveryMs } = value;
    return typeof repairId === "string" && typeof beatEveryMs === "number" ? { repairId, beatEveryMs } : null;
  } catch {
    return null;
  }
}

function write(caseId: string, repair: OwnRepair | null): void {
  try {
    if (repair === null) sessionStorage.removeItem(keyOf(caseId));
    else sessionStorage.setItem(keyOf(caseId), JSON.stringify(repair));
  } catch {
    // A browser that stores nothing forgets the repair with the page; its lease ends it.
  }
}

/** Follows the repair that this page has open on the case. */
export function useRepair(caseId: string): RepairHandle {
  const [own, setOwn] = useState<OwnRepair | null>(() => read(caseId));
  const [over, setOver] = useState<string | null>(null);
  const set = (repair: OwnRepair | null): void => {
    write(caseId, repair);
    setOver(null);
    setOwn(repair);
  };
  useEffect(() => {
    if (own === null) return undefined;
    const end = (why: string): void => {
      write(caseId, null);
      setOwn(null);
      setOver(why);
    };
    const beat = async (): Promise<void> => {
      try {
        const life = await api.keepRepair({ caseId, repairId: own.repairId });
        if (life.kind === "over") end(life.sentence);
      } catch (error) {
        const refusal = asRefusal(error);
        // A server that does not answer may do so with the next beat; what it refuses is over.
        if (refusal.code === "REPAIR_OVER") end(refusal.message);
      }
    };
    void beat();
    const timer = setInterval(() => void beat(), own.beatEveryMs);
    return () => clearInterval(timer);
  }, [caseId, own]);
  return { own, over, set };
}
