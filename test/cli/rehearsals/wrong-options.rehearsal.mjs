import { defineRehearsal } from "foothold/testing";
import { ordering } from "./case-types.mjs";

/** As plain JavaScript gives it, which no compiler sees. */
const options = /** @type {never} */ ({ aprovals: {} });

export default defineRehearsal(ordering("wrongOptions", true), options);
