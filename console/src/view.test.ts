import { describe, expect, test } from "vitest";
import { BUILT_IN_VIEWS, isShown, viewQuery } from "./view.ts";

describe("a view", () => {
  test("is shown by an address with its filters in any order, on any of its pages", () => {
    const view = { name: "late ones", query: "type=order&overdue=true&reading=Paused&reading=Done" };
    const shown = (query: string): boolean => isShown(view, new URLSearchParams(query));
    expect(shown("reading=Done&overdue=true&reading=Paused&type=order&cursor=1.07-a&text=")).toBe(true);
    expect(shown("type=order&overdue=true&reading=Paused")).toBe(false);
    expect(shown("type=refund&overdue=true&reading=Paused&reading=Done")).toBe(false);
    expect(shown("")).toBe(false);
  });

  test("keeps what a filter says, whatever it holds", () => {
    const query = new URLSearchParams({ text: "a&b=ä +%", find: "tag:x" });
    expect(new URLSearchParams(viewQuery(query)).get("text")).toBe("a&b=ä +%");
  });

  test("that everybody has is no other one's list", () => {
    for (const view of BUILT_IN_VIEWS) {
      const shown = BUILT_IN_VIEWS.filter((one) => isShown(one, new URLSearchParams(view.query)));
      expect(shown).toEqual([view]);
    }
  });
});
