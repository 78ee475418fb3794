/**
 * A worker: claims due cases in batches and picks each up, under one lease. It sleeps until the next case is due, a
 * hint comes or a pick-up ends; a slow net poll covers hints that were missed.
 */
import { ACT_WITHIN_MS_MIN } from "../core/claim.js";
import { isFootholdError } from "../core/errors.js";
import { CLAIM_BATCH_MAX, } from "../store/port.js";
import { AttemptGate } from "./attempt-gate.js";
import { Committer } from "./committer.js";
import { DatabaseClock } from "./database-clock.js";
import { NO_FAILPOINTS } from "./failpoints.js";
import { freeClaim } from "./free.js";
import { Holding } from "./holding.js";
import { pickUp } from "./pick-up.js";
import { setAside } from "./set-aside.js";
import { sharedAbort } from "./stop-signal.js";
import { ENGINE_VERSION } from "./version.js";
import { Wake } from "./wake.js";
/** Default lease of a worker, in ms. */
export const WORKER_LEASE_MS = 10_000;
/** Default number of cases that a worker holds at once. */
export const WORKER_CONCURRENCY = 64;
/** Longest sleep without looking for due cases, in ms: the net under hints that got lost. */
const NET_POLL_MS = 5_000;
/** Delay after the database did not answer, in ms. */
const AWAY_MS = 500;
/** Time that running steps get at a graceful stop, in ms. */
const GRACE_MS = 30_000;
/** Time that a forced stop waits for aborted steps, in ms. */
const FORCED_MS = 5_000;
/** Makes a worker; nothing runs before `start`. */
export function createWorker(options) {
    return new ClaimingWorker(options);
}
class ClaimingWorker {
    #options;
    #concurrency;
    #onReport;
    #databaseClock;
    #wake;
    #gate = new AttemptGate();
    #windDown = sharedAbort();
    #kill = sharedAbort();
    #committer;
    #running = new Map();
    /** Late reports under way. */
    #looseEnds = new Set();
    #holding;
    #loops = Promise.resolve();
    #unlisten = () => Promise.resolve();
    /** Database time at which to look for due cases next. */
    #lookAt = -Infinity;
    #away = new Set();
    #stopping = null;
    constructor(options) {
        this.#options = options;
        this.#concurrency = options.concurrency ?? WORKER_CONCURRENCY;
        this.#onReport = options.onReport ?? (() => undefined);
        this.#databaseClock = new DatabaseClock(options.ports.clock);
        this.#wake = new Wake(options.ports.clock);
        this.#committer = new Committer(options.store, options.ports.clock, this.#kill.signal);
        this.#holding = this.#newHolding();
    }
    get holderId() {
        return this.#holding.holderId;
    }
    async start() {
        const { store } = this.#options;
        await store.checkSchema();
        await this.#holding.begin();
        this.#unlisten = await store.listen(() => this.hint());
        this.#loops = Promise.all([this.#beatLoop(), this.#claimLoop()]);
    }
    hint() {
        this.#lookAt = -Infinity;
        this.#wake.ring();
    }
    stop({ graceMs = GRACE_MS } = {}) {
        this.#stopping ??= this.#stop(graceMs);
        return this.#stopping;
    }
    async #stop(graceMs) {
        this.#windDown.abort(new Error("the worker winds down"));
        this.#wake.ring();
        await this.#within(graceMs, this.#allEnded());
        this.#kill.abort(new Error("the worker stops"));
        await this.#within(FORCED_MS, Promise.all([this.#allEnded(), this.#loops]));
        await this.#within(FORCED_MS, this.#sayGoodbye());
    }
    async #allEnded() {
        for (;;) {
            const tasks = [...this.#running.values(), ...this.#looseEnds];
            if (tasks.length === 0)
                return;
            await Promise.all(tasks);
        }
    }
    async #within(limitMs, work) {
        const ended = new AbortController();
        await Promise.race([work, this.#options.ports.clock.sleep(limitMs, ended.signal)]);
        ended.abort();
    }
    async #sayGoodbye() {
        try {
            await this.#unlisten();
            await this.#holding.end();
        }
        catch (error) {
            this.#tell("goodbye", error);
        }
    }
    #newHolding() {
        const { store, registry, ports, name, host, build, leaseMs = WORKER_LEASE_MS } = this.#options;
        const caseTypes = registry.all.map(({ outline }) => ({ name: outline.name, version: outline.version }));
        return new Holding({
            store,
            clock: ports.clock,
            databaseClock: this.#databaseClock,
            holder: { holderId: ports.ids.unique(), kind: "worker", name, host, build, leaseMs, caseTypes },
        });
    }
    async #beatLoop() {
        const { clock } = this.#options.ports;
        while (!this.#kill.signal.aborted) {
            await clock.sleep(this.#holding.lease.beatEveryMs, this.#kill.signal);
            if (this.#kill.signal.aborted)
                return;
            await this.#attempt("heartbeat", () => this.#beat());
        }
    }
    async #beat() {
        const { lease } = this.#holding;
        const wasTrusted = lease.isTrusted();
        const reply = await this.#holding.beat();
        if (reply.kind === "alive") {
            // The claim loop stood still for want of trust.
            if (!wasTrusted && lease.isTrusted())
                this.hint();
            for (const orphan of reply.orphans)
                await this.#release(orphan);
            return;
        }
        const ended = this.#holding;
        this.#holding = this.#newHolding();
        this.#onReport({ kind: "holderEnded", holderId: ended.holderId, nextHolderId: this.#holding.holderId });
        await this.#holding.begin();
        this.hint();
    }
    /** A claim under our id that no pick-up knows: its reply was lost, or its pick-up failed (R8). */
    async #release({ caseId, claimId, holderId }) {
        const { store, ports, name } = this.#options;
        const commitId = ports.ids.unique();
        const why = "orphaned";
        try {
            const freed = await freeClaim(store, { caseId, claimId, holderId, holderName: name, why, commitId });
            if (freed.kind === "freed")
                this.#onReport({ kind: "claimFreed", caseId, claimId, why });
            if (freed.kind === "setAside")
                this.#onReport({ kind: "unreadable", caseId, error: freed.fault });
        }
        catch (error) {
            if (isAway(error))
                throw error;
            // One case that cannot be freed must not keep the others, and is tried again with the next beat.
            this.#onReport({ kind: "bug", caseId, error });
        }
    }
    async #claimLoop() {
        while (!this.#windDown.signal.aborted) {
            const free = this.#concurrency - this.#running.size;
            // A claim for one slot costs as much as one for many.
            const isWorth = free >= Math.max(1, this.#concurrency / 4) && this.#holding.lease.isTrusted();
            const idleMs = isWorth ? Math.min(NET_POLL_MS, this.#lookAt - this.#databaseClock.now()) : NET_POLL_MS;
            if (idleMs > 0)
                await this.#wake.wait(idleMs);
            else
                await this.#attempt("claim", () => this.#claim(Math.min(free, CLAIM_BATCH_MAX)));
        }
    }
    async #claim(count) {
        const { store, ports, registry } = this.#options;
        const holding = this.#holding;
        const claimIds = Array.from({ length: count }, () => ports.ids.unique());
        // Hints that come while the question is under way lower it again and are not lost.
        this.#lookAt = Infinity;
        const reply = await holding.claim(claimIds, () => store.claimDue({
            holderId: holding.holderId,
            claimIds,
            caseTypes: registry.all.map(({ outline }) => ({ name: outline.name, version: outline.version })),
            engineVersion: ENGINE_VERSION,
            actWithinMs: ACT_WITHIN_MS_MIN,
        }));
        this.#databaseClock.follow(reply.now);
        this.#lookAt = Math.min(this.#lookAt, reply.nextDueAt ?? Infinity, reply.now + NET_POLL_MS);
        this.#begin(holding, reply);
        for (const unreadable of reply.unreadable)
            await this.#setAside(holding, unreadable);
    }
    /** What cannot be set aside now is an orphan of the next beat. */
    async #setAside(holding, { row, fault }) {
        const { caseId, claim, summary } = row;
        const claimId = claim?.claimId ?? null;
        if (claimId !== null)
            holding.forget(claimId);
        this.#onReport({ kind: "unreadable", caseId, error: fault });
        await setAside(this.#options.store, { caseId, claimId, fault, summary });
    }
    #begin(holding, reply) {
        if (reply.cases.length === 0)
            return;
        this.#onReport({ kind: "claimed", caseIds: reply.cases.map(({ row }) => row.caseId) });
        for (const stored of reply.cases) {
            const claimId = stored.row.claim?.claimId;
            if (claimId === undefined)
                continue;
            const running = this.#pickUp(holding, stored, claimId).finally(() => {
                holding.forget(claimId);
                this.#running.delete(claimId);
                this.#wake.ring();
            });
            this.#running.set(claimId, running);
        }
    }
    async #pickUp(holding, stored, claimId) {
        const { caseId, caseType } = stored.row;
        try {
            const end = await pickUp(this.#contextOf(holding), this.#options.registry.get(caseType), stored, claimId);
            if (end.kind === "claimLost")
                this.#onReport({ kind: "claimLost", caseId, claimId });
            else
                this.#released(caseId, end);
        }
        catch (error) {
            if (isFootholdError(error) && error.code === "CORRUPT_JOURNAL") {
                await this.#attempt("pick-up", () => this.#setAside(holding, { row: stored.row, fault: error }));
            }
            else
                this.#tell("pick-up", error, caseId);
        }
    }
    #contextOf(holding) {
        const { store, ports, name, onFailpoint = NO_FAILPOINTS } = this.#options;
        return {
            store,
            ports,
            clock: ports.clock,
            databaseClock: this.#databaseClock,
            committer: this.#committer,
            gate: this.#gate,
            lease: holding.lease,
            holder: { kind: "worker", name, holderId: holding.holderId },
            kill: this.#kill.signal,
            windDown: this.#windDown.signal,
            onFailpoint,
            onReport: this.#onReport,
            onLooseEnd: (task) => {
                this.#looseEnds.add(task);
                void task.finally(() => this.#looseEnds.delete(task));
            },
        };
    }
    #released(caseId, { state, dueAt }) {
        this.#onReport({ kind: "released", caseId, state, dueAt });
        if (dueAt !== null)
            this.#noteDue(dueAt);
    }
    #noteDue(dueAt) {
        if (this.#lookAt <= dueAt)
            return;
        this.#lookAt = dueAt;
        this.#wake.ring();
    }
    /** The database may be away for a while; the loop goes on when it is back. A bug is told and does not end the loop. */
    async #attempt(during, act) {
        try {
            await act();
            if (this.#away.delete(during))
                this.#onReport({ kind: "databaseBack", during });
        }
        catch (error) {
            if (isAway(error))
                this.#away.add(during);
            this.#tell(during, error);
            this.#lookAt = -Infinity;
            await this.#options.ports.clock.sleep(AWAY_MS, this.#kill.signal);
        }
    }
    #tell(during, error, caseId = null) {
        this.#onReport(isAway(error) ? { kind: "databaseAway", during, error } : { kind: "bug", caseId, error });
    }
}
function isAway(error) {
    return isFootholdError(error) && error.code === "DATABASE_UNAVAILABLE";
}
//# sourceMappingURL=worker.js.map