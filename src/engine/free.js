/** Freeing a claim: by the sweep when its holder fell silent, by its own holder when it does not know it (R8). */
import { isFootholdError } from "../core/errors.js";
import { foldJournal } from "../core/fold.js";
import { rowOf } from "../core/row.js";
import { preview } from "./advance.js";
import { setAside } from "./set-aside.js";
/**
 * Frees a claim if it is still the one named. With an attempt open, a loss is journaled and counts (R9); else the case
 * goes back as it stood. A case whose journal cannot be read is set aside, so that it keeps nobody busy.
 */
export async function freeClaim(store, input) {
    const { caseId, claimId, commitId } = input;
    try {
        const changed = await store.changeCase(caseId, commitId, (stored, now) => decideFree(stored, now, input));
        return changed?.kind === "decided" && changed.reply ? { kind: "freed" } : { kind: "gone" };
    }
    catch (error) {
        if (!isFootholdError(error) || error.code !== "CORRUPT_JOURNAL")
            throw error;
        const isAside = await setAside(store, { caseId, claimId, fault: error, summary: null });
        return isAside ? { kind: "setAside", fault: error } : { kind: "gone" };
    }
}
function decideFree({ row, journal }, now, input) {
    if (row.claim?.claimId !== input.claimId)
        return { kind: "leave", reply: false };
    const state = foldJournal(row.caseId, journal);
    const { claimId, holderId, holderName, why } = input;
    const openAttempts = attemptsOf(state, claimId);
    const entries = openAttempts.length === 0
        ? []
        : [{ kind: "claimLost", claimId, holderId, holderName, why, openAttempts }];
    const at = Math.max(now, state.changedAt);
    const after = preview(state, entries, at);
    return {
        kind: "write",
        commitId: input.commitId,
        entries,
        at,
        row: rowOf(after),
        claim: "free",
        reply: true,
    };
}
function attemptsOf(state, claimId) {
    return Object.entries(state.steps).flatMap(([step, { intent }]) => (intent?.attempts ?? [])
        .filter((one) => one.claimId === claimId && one.outcome.kind === "open")
        .map((one) => ({ step, intentVersion: intent?.version ?? 0, attempt: one.number })));
}
//# sourceMappingURL=free.js.map