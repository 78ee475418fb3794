/** A loop's alarm clock: it sleeps until a time, or until somebody wakes it. A wake during work is not lost. */
/** Wakes one waiting loop. */
export class Wake {
    #clock;
    #isRung = false;
    #bell = new AbortController();
    constructor(clock) {
        this.#clock = clock;
    }
    /** Ends the present wait, or the next one at once. */
    ring() {
        this.#isRung = true;
        this.#bell.abort();
    }
    /** Resolves after `delayMs`, or when rung. */
    async wait(delayMs) {
        if (!this.#isRung) {
            this.#bell = new AbortController();
            await this.#clock.sleep(delayMs, this.#bell.signal);
        }
        this.#isRung = false;
    }
}
//# sourceMappingURL=wake.js.map