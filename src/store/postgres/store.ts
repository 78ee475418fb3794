/** The PostgreSQL store: the port, put together from its parts. */

import type { Store } from "../port.ts";
import { postgresAudit } from "./audit.ts";
import { postgresBulk } from "./bulk.ts";
import { changeCase, loadCase, loadRow, setAside } from "./change-case.ts";
import { claimDue } from "./claim-due.ts";
import { commitAll, findCommit } from "./commit.ts";
import { readConnection, type PostgresStoreOptions } from "./connection.ts";
import { changeCredential } from "./credentials.ts";
import { Database } from "./database.ts";
import { readClock } from "./clock.ts";
import {
  changeDestination,
  countHeld,
  forgetDestinations,
  hastenHeld,
  readDestinations,
} from "./destinations.ts";
import { postgresErasures } from "./erasures.ts";
import { beat, endHolder, forgetHolders, listClaims, listHolders, registerHolder } from "./holders.ts";
import { postgresPeople } from "./people.ts";
import { postgresInbox } from "./inbox.ts";
import { SearchIndex } from "./search-index.ts";
import { Starts } from "./starts.ts";
import { postgresChildren } from "./children.ts";
import { countCases, countFound, listCases, readPulse } from "./listing.ts";
import { importCase } from "./import-case.ts";
import { KeyWatch } from "./key-watch.ts";
import { Listener } from "./listener.ts";
import { checkSchema, migrate } from "./migrate.ts";
import { postgresKeys } from "./keys.ts";
import { postgresMilestones } from "./milestones.ts";
import { postgresPlaces } from "./places.ts";
import { postgresNotices } from "./notices.ts";
import { Payloads } from "./payloads.ts";
import { postgresSamples } from "./samples.ts";
import { postgresSchedules } from "./schedules.ts";
import { postgresSeconds } from "./seconds.ts";
import { beginStep } from "./step-transaction.ts";

/**
 * A store in PostgreSQL 15 or later. Connects when it is first asked for something; every statement and every connect has a
 * bound of time, after which it throws `DATABASE_UNAVAILABLE`. A pooler in transaction mode may stand between; one that
 * does not see to prepared statements (PgBouncer before 1.21) is noticed, and statements are sent whole from then on. Hints
 * do not come through it: see `directUrl`.
 *
 * Throws `DATABASE_URL_INVALID` or `CONFIG_INVALID` at once for options that cannot be used. The password is in no message.
 */
export function postgresStore(options: PostgresStoreOptions): Store {
  const connecting = readConnection(options);
  const database = new Database(connecting, new Payloads(options.codec ?? null));
  const watch = new KeyWatch(database);
  const { keyed, told } = guardsOf(database, watch);
  const listener = new Listener(connecting, database.text("listen"));
  const starts = new Starts(database, listener);
  const searchIndex = new SearchIndex();
  return {
    description: `PostgreSQL ${database.place}, schema ${database.schema}`,
    migrate: () => database.guarded(() => migrate(database)),
    checkSchema: () =>
      database.guarded(async () => {
        const version = await checkSchema(database);
        await watch.look();
        return version;
      }),
    now: () => database.guarded(() => readClock(database)),
    close: async () => {
      await Promise.all([listener.close(), database.close()]);
    },
    insertCase: (start) => keyed(() => starts.insert(start)),
    importCase: (identity, commits) => keyed(() => importCase(database, listener, identity, commits)),
    claimDue: (request) => keyed(() => claimDue(database, searchIndex, request)),
    commit: (commits) => told(() => commitAll(database, searchIndex, commits)),
    begin: () => told(() => beginStep(database, listener)),
    findCommit: (commit) => database.guarded(() => findCommit(database, commit)),
    changeCase: (caseId, change, decide) =>
      keyed(() => changeCase(database, listener, { caseId, change, decide })),
    setAside: (caseId, claimId, summary) =>
      database.guarded(() => setAside(database, caseId, claimId, summary)),
    loadCase: (caseId) => database.guarded(() => loadCase(database, caseId)),
    loadRow: (caseId) => database.guarded(() => loadRow(database, caseId)),
    listCases: (filter) => database.guarded(() => listCases(database, filter)),
    countFound: (criteria, max) => database.guarded(() => countFound(database, criteria, max)),
    readPulse: (caseIds) => database.guarded(() => readPulse(database, caseIds)),
    countCases: () => database.guarded(() => countCases(database)),
    registerHolder: (holder) => database.guarded(() => registerHolder(database, holder)),
    beat: (holderId) => database.guarded(() => beat(database, holderId)),
    listHolders: () => database.guarded(() => listHolders(database)),
    endHolder: (holderId, seenBeat) => database.guarded(() => endHolder(database, holderId, seenBeat)),
    forgetHolders: (endedBefore) => database.guarded(() => forgetHolders(database, endedBefore)),
    listClaims: (limit) => database.guarded(() => listClaims(database, limit)),
    changeCredential: (credentialId, decide) =>
      database.guarded(() => changeCredential(database, credentialId, decide)),
    readDestinations: () => database.guarded(() => readDestinations(database)),
    changeDestination: (id, decide) => database.guarded(() => changeDestination(database, id, decide)),
    forgetDestinations: (changedBefore) =>
      database.guarded(() => forgetDestinations(database, changedBefore)),
    hastenHeld: (request) => database.guarded(() => hastenHeld(database, request)),
    countHeld: () => database.guarded(() => countHeld(database)),
    listen: (onHint) => listener.add(onHint),
    children: postgresChildren(database),
    inbox: postgresInbox(database, listener, watch),
    people: postgresPeople(database),
    bulk: postgresBulk(database),
    audit: postgresAudit(database),
    erasures: postgresErasures(database),
    notices: postgresNotices(database),
    keys: postgresKeys(database, watch),
    milestones: postgresMilestones(database),
    samples: postgresSamples(database),
    schedules: postgresSchedules(database),
    seconds: postgresSeconds(database),
    places: postgresPlaces(database, listener),
  };
}

interface Guards {
  /** What claims or begins something: refused where a key is in use that this process lacks. */
  readonly keyed: <T>(work: () => Promise<T>) => Promise<T>;
  /** What holders store is never refused for that: it is known to them alone. */
  readonly told: <T>(work: () => Promise<T>) => Promise<T>;
}

function guardsOf(database: Database, watch: KeyWatch): Guards {
  return {
    keyed: (work) =>
      database.guarded(async () => {
        await watch.ready();
        return work();
      }),
    told: (work) =>
      database.guarded(async () => {
        await watch.say();
        return work();
      }),
  };
}
