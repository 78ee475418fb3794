import { afterAll, beforeAll, beforeEach } from "vitest";
import type {
  ClaimReply,
  FoldedCase,
  HolderCommit,
  HolderReply,
  NewCase,
  Store,
  StoredCase,
} from "../../../src/store/port.ts";
import { actWithinMs, newCase, newId, type CaseWishes } from "../made-cases.ts";

/** The store under test. */
export interface Subject {
  readonly store: Store;
  /** A second store on the same data, as another process would have; the same one where there is none. */
  readonly other: Store;
  /** Removes every case and holder. */
  clear(): Promise<void>;
  /** Takes what a standby has now; the function given makes that all there is, as a failover does. */
  replicate(): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

/** What a group of tests works with. */
export class Bench {
  private subject: Subject | null = null;

  set(subject: Subject): void {
    this.subject = subject;
  }

  get store(): Store {
    if (this.subject === null) throw new Error("the store is not open yet");
    return this.subject.store;
  }

  get other(): Store {
    if (this.subject === null) throw new Error("the store is not open yet");
    return this.subject.other;
  }

  async replicate(): Promise<() => Promise<void>> {
    if (this.subject === null) throw new Error("the store is not open yet");
    return this.subject.replicate();
  }

  /** Starts a case that has been due for a second. */
  async start(wishes: Partial<CaseWishes> = {}): Promise<NewCase> {
    const start = newCase({ at: (await this.store.now()) - 1_000, ...wishes });
    const reply = await this.store.insertCase(start);
    if (reply.kind !== "started") throw new Error(`not started: ${reply.kind}`);
    return start;
  }

  async claim(count: number, wishes: Partial<Parameters<Store["claimDue"]>[0]> = {}): Promise<ClaimReply> {
    return this.store.claimDue({
      holderId: "holder-1",
      claimIds: Array.from({ length: count }, newId),
      caseTypes: [{ name: "purchase", version: 1 }],
      engineVersion: 1,
      actWithinMs,
      ...wishes,
    });
  }

  /** Starts a case and claims it. */
  async startClaimed(wishes: Partial<CaseWishes> = {}): Promise<FoldedCase> {
    const start = await this.start(wishes);
    const { cases } = await this.claim(1);
    const [stored] = cases;
    if (stored?.row.caseId !== start.identity.caseId) throw new Error("another case was claimed");
    return stored;
  }

  async load(caseId: string): Promise<StoredCase> {
    const stored = await this.store.loadCase(caseId);
    if (stored === null) throw new Error(`case ${caseId} is not there`);
    return stored;
  }

  async commitOne(commit: HolderCommit): Promise<HolderReply> {
    const [reply] = await this.store.commit([commit]);
    if (reply === undefined) throw new Error("no reply");
    return reply;
  }
}

/** Opens a subject for the tests of the enclosing `describe`, cleared before each. */
export function useSubject(open: () => Promise<Subject>): Bench {
  const bench = new Bench();
  let subject: Subject;
  beforeAll(async () => {
    subject = await open();
    bench.set(subject);
  });
  beforeEach(() => subject.clear());
  afterAll(() => subject.close());
  return bench;
}

/** Waits until something holds, at most 5 s. */
export async function waitUntil(holds: () => boolean | Promise<boolean>): Promise<void> {
  const startedAt = performance.now();
  while (!(await holds())) {
    if (performance.now() - startedAt > 5_000) throw new Error("it did not come to hold within 5 s");
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
