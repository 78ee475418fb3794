import { describe, inject } from "vitest";
import { testContract } from "./contract/all.ts";
import { useSubject } from "./contract/contract.ts";
import { openPostgres } from "./postgres-subject.ts";

describe("the PostgreSQL store", () => {
  testContract(useSubject(() => openPostgres(inject("databaseUrl"))));
});
