/** The engine's version in the sense of R12: rises when a case written by this engine cannot be run by the one before. */
export const ENGINE_VERSION = 1;
//# sourceMappingURL=version.js.map