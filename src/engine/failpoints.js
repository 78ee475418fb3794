/**
 * Named points in the life of an attempt at which a fault test may kill, stop or delay the process. A product run
 * passes none and pays one call of an empty function.
 */
/** Every failpoint, in order. */
export const FAILPOINTS = [
    "beforeIntent",
    "afterIntent",
    "duringSend",
    "afterSend",
    "beforeConfirm",
    "afterConfirm",
];
/** The product's: does nothing. */
export const NO_FAILPOINTS = () => undefined;
//# sourceMappingURL=failpoints.js.map