import type { TestProject } from "vitest/node";
import { findTestBinaries, removeOldTestFolders, startServer } from "./server.ts";

declare module "vitest" {
  /** What every test file can `inject`. */
  interface ProvidedContext {
    /** A real PostgreSQL server that all test files share; make your own database in it with `createTestDatabase`. */
    readonly databaseUrl: string;
  }
}

/**
 * Gives the whole test run one real PostgreSQL server: the one at FOOTHOLD_TEST_DATABASE_URL (a superuser's URL), or one of
 * our own that is removed at the end.
 */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const given = process.env["FOOTHOLD_TEST_DATABASE_URL"];
  if (given !== undefined && given !== "") {
    project.provide("databaseUrl", given);
    return undefined;
  }
  await removeOldTestFolders();
  const server = await startServer(await findTestBinaries());
  project.provide("databaseUrl", server.url);
  return () => server.stop();
}
