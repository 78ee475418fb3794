// Exports nothing by default.
export const cases = ["exported, but not by default"];
