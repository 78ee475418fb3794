import { describe, expect, test } from "vitest";
import { attributeColumns, chipsOf, valueIn } from "./attribute-columns.ts";

const text = (name: string, value: string) => ({ name, type: "text" as const, value });
const tag = (value: string) => ({ name: "tag", type: "tag" as const, value });

const first = { search: [text("vendor", "Lumen"), tag("vip")] };
const second = { search: [text("vendor", "Okapi"), text("orderNo", "A-7")] };

describe("columns of attributes", () => {
  test("are those that a case of the list has, in their order, without tags", () => {
    expect(attributeColumns([first, second])).toEqual(["vendor", "orderNo"]);
    expect(attributeColumns([{ search: [] }])).toEqual([]);
    const many = { search: ["a", "b", "c", "d", "e", "f"].map((name) => text(name, "x")) };
    expect(attributeColumns([many])).toEqual(["a", "b", "c", "d", "e"]);
  });

  test("tell the value of a case, or that it has none", () => {
    expect(valueIn("orderNo", second)).toEqual(text("orderNo", "A-7"));
    expect(valueIn("orderNo", first)).toBeNull();
  });

  test("leave to the case what no column tells, a few values of it", () => {
    expect(chipsOf(first, [])).toEqual({ chips: first.search, more: 0 });
    expect(chipsOf(first, ["vendor"])).toEqual({ chips: [tag("vip")], more: 0 });
    const tags = { search: ["1", "2", "3", "4", "5", "6"].map(tag) };
    expect(chipsOf(tags, [])).toMatchObject({ chips: [tag("1"), tag("2"), tag("3"), tag("4")], more: 2 });
  });
});
