/** `foothold/postgres`: the store in a PostgreSQL of yours. */

export { postgresStore } from "./store/postgres/store.ts";
export type { PostgresConnection, PostgresStoreOptions } from "./store/postgres/connection.ts";
