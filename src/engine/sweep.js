/**
 * The sweep: frees what dead holders hold. It trusts no clock but its own monotonic one: a holder is dead when this
 * sweep has itself watched an unchanged beat for one lease, a claim is dropped when it has watched it untouched for its
 * act-within time (R7, R8). So a clock jump, a failover or a database that was away frees nobody alive, and several
 * sweeps do no harm.
 */
import { isFootholdError } from "../core/errors.js";
import { freeClaim } from "./free.js";
import { Watch } from "./watch.js";
/** How often to sweep, in ms. */
export const SWEEP_EVERY_MS = 500;
/** Claims looked at in one pass: those of 156 workers at their default. Further ones come as these end. */
const CLAIMS_MAX = 10_000;
/** The share of a lease, and of the sweep's own interval, that the time between two passes counts at most. */
const HOLE_SHARE_OF_LEASE = 1 / 4;
const HOLE_SHARE_OF_INTERVAL = 3 / 2;
/** How long an ended holder that holds nothing is kept for people to see, in ms. */
const KEEP_ENDED_MS = 24 * 3_600_000;
/** How often such holders are looked for, in ms. */
const FORGET_EVERY_MS = 600_000;
/** Makes a sweep; nothing runs before `start` or `sweepOnce`. */
export function createSweep(options) {
    return new Watching(options);
}
class Watching {
    #options;
    #stopped = new AbortController();
    #beats = new Watch();
    #touches = new Watch();
    #forgotAt = -Infinity;
    #loop = null;
    #isAway = false;
    constructor(options) {
        this.#options = options;
    }
    start() {
        this.#loop ??= this.#run();
    }
    async stop() {
        this.#stopped.abort();
        await this.#loop;
    }
    async #run() {
        const { ports, intervalMs = SWEEP_EVERY_MS } = this.#options;
        while (!this.#stopped.signal.aborted) {
            await this.#pass();
            await ports.clock.sleep(intervalMs, this.#stopped.signal);
        }
    }
    async #pass() {
        try {
            await this.sweepOnce();
            if (this.#isAway)
                this.#tell({ kind: "databaseBack", during: "sweep" });
            this.#isAway = false;
        }
        catch (error) {
            const isAway = isFootholdError(error) && error.code === "DATABASE_UNAVAILABLE";
            this.#isAway ||= isAway;
            this.#tell(isAway ? { kind: "databaseAway", during: "sweep", error } : { kind: "bug", caseId: null, error });
        }
    }
    #tell(report) {
        this.#options.onReport?.(report);
    }
    async sweepOnce() {
        try {
            return await this.#sweep();
        }
        catch (error) {
            this.#beats.startAnew();
            this.#touches.startAnew();
            throw error;
        }
    }
    async #sweep() {
        const { store } = this.#options;
        const holders = await store.listHolders();
        const endedHolders = await this.#endSilentHolders(holders);
        const ended = new Set([
            ...endedHolders.map(({ holderId }) => holderId),
            ...holders.filter(({ endedAt }) => endedAt !== null).map(({ holderId }) => holderId),
        ]);
        const claims = await store.listClaims(CLAIMS_MAX);
        const loose = this.#looseClaims(claims, ended);
        const names = new Map(holders.map(({ holderId, name }) => [holderId, name]));
        const freedClaims = [];
        const failed = [];
        for (const { claim, why } of loose) {
            const { caseId, claimId, holderId } = claim;
            const done = await this.#free(claim, names.get(holderId) ?? "an unknown holder", why);
            if (done.kind === "freed")
                freedClaims.push({ caseId, claimId, why });
            if (done.kind === "failed")
                failed.push({ caseId, error: done.error });
        }
        this.#tellHolders(endedHolders, freedClaims, claims);
        await this.#forgetHolders();
        return { endedHolders, freedClaims, failed };
    }
    /**
     * Claims to free: their holder is marked, or they were not touched for too long. A holder that is not in the list may
     * have registered after it was read: only the second rule frees its claims.
     */
    #looseClaims(claims, ended) {
        const overdue = this.#overdueClaims(claims);
        return claims.flatMap((claim) => {
            if (ended.has(claim.holderId))
                return [{ claim, why: "silent" }];
            return overdue.has(claim.claimId) ? [{ claim, why: "actBy" }] : [];
        });
    }
    async #endSilentHolders(holders) {
        const { store, ports } = this.#options;
        const open = holders.filter(({ endedAt }) => endedAt === null);
        this.#beats.look(open.map(({ holderId, beat, leaseMs }) => ({
            id: holderId,
            sign: beat,
            holeMsMax: this.#holeMsMax(leaseMs),
        })), ports.clock.monotonic());
        const ended = [];
        for (const holder of open) {
            if (this.#beats.unchangedMs(holder.holderId) < holder.leaseMs)
                continue;
            if (await store.endHolder(holder.holderId, holder.beat))
                ended.push(holder);
        }
        return ended;
    }
    #holeMsMax(periodMs) {
        const { intervalMs = SWEEP_EVERY_MS } = this.#options;
        return Math.max(intervalMs * HOLE_SHARE_OF_INTERVAL, periodMs * HOLE_SHARE_OF_LEASE);
    }
    #overdueClaims(claims) {
        this.#touches.look(claims.map(({ claimId, touches, actWithinMs }) => ({
            id: claimId,
            sign: touches,
            holeMsMax: this.#holeMsMax(actWithinMs),
        })), this.#options.ports.clock.monotonic());
        const overdue = claims.filter(({ claimId, actWithinMs }) => this.#touches.unchangedMs(claimId) >= actWithinMs);
        return new Set(overdue.map(({ claimId }) => claimId));
    }
    async #free({ caseId, claimId, holderId }, holderName, why) {
        const { store, ports } = this.#options;
        const commitId = ports.ids.unique();
        try {
            const freed = await freeClaim(store, { caseId, claimId, holderId, holderName, why, commitId });
            switch (freed.kind) {
                case "freed":
                    this.#tell({ kind: "claimFreed", caseId, claimId, why });
                    return { kind: "freed" };
                case "gone":
                    return { kind: "gone" };
                case "setAside":
                    this.#tell({ kind: "unreadable", caseId, error: freed.fault });
                    return { kind: "failed", error: freed.fault };
            }
        }
        catch (error) {
            if (isFootholdError(error) && error.code === "DATABASE_UNAVAILABLE")
                throw error;
            // One case that cannot be freed must not keep the others of a dead holder waiting.
            this.#tell({ kind: "bug", caseId, error });
            return { kind: "failed", error };
        }
    }
    /** Tells once per holder what became of it. */
    #tellHolders(ended, freed, claims) {
        const freedIds = new Set(freed.map(({ claimId }) => claimId));
        for (const { holderId, name } of ended) {
            const caseIds = claims
                .filter((claim) => claim.holderId === holderId && freedIds.has(claim.claimId))
                .map(({ caseId }) => caseId);
            this.#tell({ kind: "holderFreed", holderId, name, caseIds });
        }
    }
    async #forgetHolders() {
        const { store, ports } = this.#options;
        const now = ports.clock.monotonic();
        if (now - this.#forgotAt < FORGET_EVERY_MS)
            return;
        this.#forgotAt = now;
        await store.forgetHolders((await store.now()) - KEEP_ENDED_MS);
    }
}
//# sourceMappingURL=sweep.js.map