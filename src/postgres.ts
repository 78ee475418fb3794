/** `foothold/postgres`: the store in a PostgreSQL of yours. */

export type {
  KeptPayload,
  OpenedPayload,
  PayloadCodec,
  PlainPayload,
  RewrappedPayload,
  SealedPayload,
} from "./core/payload-codec.ts";
export { aesGcm, type AesGcmOptions, type AesKey } from "./store/postgres/aes-gcm.ts";
export { postgresStore } from "./store/postgres/store.ts";
export type { PostgresConnection, PostgresStoreOptions } from "./store/postgres/connection.ts";
