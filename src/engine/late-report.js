/** A holder that lost its claim tells what had happened: kept as a fact, evidence for an open step (R10). */
import { isFootholdError } from "../core/errors.js";
import { foldJournal } from "../core/fold.js";
import { decideLateReport } from "../core/late.js";
import { rowOf } from "../core/row.js";
import { preview } from "./advance.js";
/** How often a report is tried while the database is away; then it is given up and told. */
const TRIES_MAX = 20;
/** Delay between two tries, in ms. */
const TRY_EVERY_MS = 1_000;
/** Stores a late report, once per attempt. Never rejects. */
export async function reportLate(context, caseType, caseId, late) {
    const { store, ports, kill, onReport } = context;
    const commitId = ports.ids.unique();
    for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
        try {
            await store.changeCase(caseId, commitId, (stored, now) => changeFor(context, caseType, stored, now, commitId, late));
            const took = late.outcome.kind === "succeeded" ? "effect" : "noEffect";
            onReport({ kind: "lateReport", caseId, step: late.ref.step, attempt: late.ref.attempt, took });
            return;
        }
        catch (error) {
            const isAway = isFootholdError(error) && error.code === "DATABASE_UNAVAILABLE";
            if (!isAway || tries === TRIES_MAX || kill.aborted) {
                onReport(isAway ? { kind: "databaseAway", during: "late report", error } : { kind: "bug", caseId, error });
                return;
            }
            await ports.clock.sleep(TRY_EVERY_MS, kill);
        }
    }
}
function changeFor({ holder }, { outline }, { row, journal }, now, commitId, late) {
    const state = foldJournal(row.caseId, journal);
    const entries = decideLateReport(outline, state, { ...late, holder });
    if (entries.length === 0)
        return { kind: "leave", reply: null };
    const at = Math.max(now, state.changedAt);
    return {
        kind: "write",
        commitId,
        entries,
        at,
        row: rowOf(preview(state, entries, at)),
        claim: "keep",
        reply: null,
    };
}
//# sourceMappingURL=late-report.js.map