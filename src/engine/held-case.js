/** A case under a claim: its state as its holder knows it, and the way of its commits through the one door (R1-R3). */
import { actWithinMs } from "../core/claim.js";
import { FootholdError } from "../core/errors.js";
import { foldEntries, foldJournal } from "../core/fold.js";
import { rowOf } from "../core/row.js";
import { storableText } from "../core/storable-text.js";
import { preview } from "./advance.js";
/** Characters of the store's reason that are kept. */
const WHY_CHARS_MAX = 500;
/** A claimed case. One commit at a time. */
export class HeldCase {
    caseId;
    claimId;
    #context;
    #shard;
    #state;
    /** Throws CORRUPT_JOURNAL. */
    constructor(context, { row, journal }, claimId) {
        this.#context = context;
        this.caseId = row.caseId;
        this.claimId = claimId;
        this.#shard = row.shard;
        this.#state = foldJournal(row.caseId, journal);
    }
    /** The state after the last answer of the door. */
    get state() {
        return this.#state;
    }
    /**
     * Commits and takes in what the door stored. What the store cannot take is stored without the part that only people
     * read (R11). Throws INVARIANT_BROKEN when even that is refused.
     */
    async commit(write) {
        const { committer, ports } = this.#context;
        const state = this.#state;
        const current = this.#write(state, [...write.outcomes, ...write.onward], write);
        const reply = await committer.commit({
            caseId: this.caseId,
            shard: this.#shard,
            commitId: ports.ids.unique(),
            claimId: this.claimId,
            revision: state.revision,
            current,
            moved: (missed) => this.#write(foldEntries(state, missed), write.outcomes, write),
        });
        return reply.kind === "refused" ? this.#commitLess(write, reply.why) : this.#learn(reply, current, write);
    }
    #write(base, entries, { end, deadlinesMs }) {
        const { databaseClock, lease } = this.#context;
        const at = Math.max(databaseClock.now(), base.changedAt);
        return {
            at,
            entries,
            row: rowOf(preview(base, entries, at)),
            claim: end === "keep"
                ? { kind: "keep", actWithinMs: actWithinMs(deadlinesMs, lease.leaseMs) }
                : { kind: "free" },
        };
    }
    #learn(reply, current, { end }) {
        switch (reply.kind) {
            case "current":
                this.#state = preview(this.#state, current.entries, current.at);
                return end === "keep" ? "held" : "released";
            case "moved":
                this.#state = foldEntries(this.#state, reply.missed);
                return end === "keep" ? "held" : "released";
            case "repeated":
                this.#state = foldEntries(this.#state, reply.missed);
                if (reply.claimId === this.claimId)
                    return "held";
                // Stored, and then either given up as it says, or taken from us while we waited for the answer.
                return end === "keep" ? "claimLost" : "released";
            case "claimLost":
                return "claimLost";
        }
    }
    #commitLess({ outcomes, onward, deadlinesMs }, why) {
        const less = { onward: [], end: "keep", deadlinesMs };
        // What happened must not suffer from what was to follow.
        if (outcomes.length > 0 && onward.length > 0)
            return this.commit({ ...less, outcomes });
        const plain = outcomes.map((entry) => plainly(entry, storableText(why, WHY_CHARS_MAX)));
        const isPlainer = JSON.stringify(plain) !== JSON.stringify(outcomes);
        if (isPlainer)
            return this.commit({ ...less, outcomes: plain });
        throw new FootholdError("INVARIANT_BROKEN", `The store refused a commit of case ${this.caseId}: ${why}`, {
            details: { caseId: this.caseId },
        });
    }
}
function plainly(entry, why) {
    switch (entry.kind) {
        case "stepConfirmed":
            return {
                ...entry,
                result: { kind: "unreadable", why: `the store refused it (${why})` },
                evidence: null,
            };
        case "attemptFailed": {
            const sentence = `${entry.step} failed with ${entry.failure.kind}; the store refused the details.`;
            return { ...entry, failure: { ...entry.failure, sentence, fields: [], raw: null } };
        }
        default:
            return entry;
    }
}
//# sourceMappingURL=held-case.js.map