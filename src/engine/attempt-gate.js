/**
 * Poison control (R9): after a claim was lost with an attempt open, the case's next attempt is opened only while its
 * worker has no other attempt open, and no other one is opened beside it. So a case that kills its worker takes no
 * neighbor's attempt with it. First come, first served: a case that has to be alone waits until those before it have
 * ended, and is not overtaken meanwhile, or under a steady load it would wait for ever.
 */
/** Counts the open attempts of one worker. */
export class AttemptGate {
    #open = 0;
    #isAlone = false;
    /** Bounded by the cases that the worker holds: each waits once. */
    #queue = [];
    /** Enters at once; null = not now. `alone` = beside no other attempt. */
    tryEnter(alone) {
        return this.#queue.length === 0 && this.#isFree(alone) ? this.#admit(alone) : null;
    }
    /** Resolves once the attempt may be opened. */
    enter(alone) {
        return new Promise((admit) => {
            this.#queue.push({ alone, admit });
            this.#serve();
        });
    }
    #isFree(alone) {
        return !this.#isAlone && (!alone || this.#open === 0);
    }
    #serve() {
        for (;;) {
            const [first] = this.#queue;
            if (first === undefined || !this.#isFree(first.alone))
                return;
            this.#queue.shift();
            first.admit(this.#admit(first.alone));
        }
    }
    #admit(alone) {
        this.#open += 1;
        this.#isAlone = alone;
        let isOpen = true;
        return () => {
            if (!isOpen)
                return;
            isOpen = false;
            this.#open -= 1;
            if (alone)
                this.#isAlone = false;
            this.#serve();
        };
    }
}
//# sourceMappingURL=attempt-gate.js.map