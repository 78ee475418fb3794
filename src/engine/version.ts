import { KEYED_ENGINE_VERSION } from "../core/key-places.ts";

/**
 * The engine's version in the sense of R12: rises when a case written by this engine cannot be run by the one before. A case says
 * which one it needs; most need none but the first.
 */
export const ENGINE_VERSION: number = KEYED_ENGINE_VERSION;
