import { defineRehearsal } from "foothold/testing";
import { ordering } from "./case-types.mjs";

export default [
  defineRehearsal(ordering("safe", true), { input: { item: "desk" } }),
  defineRehearsal(ordering("unsafe", false), { input: { item: "desk" } }),
];
