import { afterAll, describe, expect, test } from "vitest";
import { findSystemPostgres, startServer, type TestServer } from "../setup/server.ts";
import { testContract } from "./contract/all.ts";
import { useSubject } from "./contract/contract.ts";
import { openPostgres } from "./postgres-subject.ts";

const installed = await findSystemPostgres();

// Where none is installed the suite is left out, by name and with the reason.
const which = installed.found ? installed.binaries.version : installed.reason;

describe.skipIf(!installed.found)(`the PostgreSQL store on the oldest installed server: ${which}`, () => {
  let server: TestServer | null = null;
  afterAll(() => server?.stop());

  const bench = useSubject(async () => {
    if (!installed.found) throw new Error(installed.reason);
    server = await startServer(installed.binaries);
    return openPostgres(server.url);
  });

  test("works on it at all", async () => {
    await bench.store.checkSchema();
    expect(await bench.store.now()).toBeGreaterThan(0);
  });

  testContract(bench);
});
