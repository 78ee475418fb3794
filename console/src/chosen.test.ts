import { expect, test } from "vitest";
import { chooseRange, chosenOf, NONE_CHOSEN, toggleOne } from "./chosen.ts";

const order = ["a", "b", "c", "d", "e"];

test("a row is selected, and let go by the same", () => {
  const one = toggleOne(NONE_CHOSEN, "b");
  expect(chosenOf(one, order)).toEqual(["b"]);
  expect(chosenOf(toggleOne(one, "b"), order)).toEqual([]);
});

test("a range goes from the row chosen last, upwards as well as downwards, and keeps what was selected", () => {
  const down = chooseRange(toggleOne(toggleOne(NONE_CHOSEN, "a"), "c"), "e", order);
  expect(chosenOf(down, order)).toEqual(["a", "c", "d", "e"]);
  expect(chosenOf(chooseRange(toggleOne(NONE_CHOSEN, "d"), "b", order), order)).toEqual(["b", "c", "d"]);
});

test("a range without a beginning in the list is that one row", () => {
  expect(chosenOf(chooseRange(NONE_CHOSEN, "c", order), order)).toEqual(["c"]);
  expect(chosenOf(chooseRange(toggleOne(NONE_CHOSEN, "gone"), "c", order), order)).toEqual(["c"]);
});

test("what is not listed any more is not acted on", () => {
  expect(chosenOf(toggleOne(toggleOne(NONE_CHOSEN, "a"), "gone"), order)).toEqual(["a"]);
});
