/** A store that tells of every entry as it is appended. */

import type { JournalEntry } from "../core/journal.ts";
import type { HolderCommit, Store } from "../store/port.ts";

/** Told of each new entry, in order, before whoever appended it hears the answer. */
export type OnEntry = (caseId: string, entry: JournalEntry) => void | Promise<void>;

/** Taps the four ways in which a store appends. */
export function tapJournal(store: Store, onEntry: OnEntry): Store {
  const told = new Map<string, number>();
  const tellNew = async (caseId: string): Promise<void> => {
    const stored = await store.loadCase(caseId);
    const journal = stored?.journal ?? [];
    const known = told.get(caseId) ?? 0;
    told.set(caseId, Math.max(known, journal.length));
    for (const entry of journal.slice(known)) {
      await onEntry(caseId, entry);
      // It came to be in the same transaction.
      if (entry.entry.kind === "childStarted") await tellNew(entry.entry.caseId);
    }
  };
  return {
    ...store,
    insertCase: async (start) => {
      const reply = await store.insertCase(start);
      await tellNew(start.identity.caseId);
      return reply;
    },
    commit: async (commits) => {
      const replies = await store.commit(commits);
      for (const { caseId } of commits) await tellNew(caseId);
      return replies;
    },
    begin: async () => {
      const transaction = await store.begin();
      const commit = transaction.commit.bind(transaction);
      // The same object: fake destinations stage their effects in it.
      return Object.assign(transaction, {
        commit: async (what: HolderCommit) => {
          const reply = await commit(what);
          await tellNew(what.caseId);
          return reply;
        },
      });
    },
    changeCase: async (caseId, change, decide) => {
      const reply = await store.changeCase(caseId, change, decide);
      await tellNew(caseId);
      return reply;
    },
  };
}
