import { describe, expect, test } from "vitest";
import type { Json } from "./json.ts";
import {
  keepMasked,
  maskAt,
  maskData,
  maskedPlaces,
  maskTexts,
  maskTextsIn,
  maskValue,
  markAt,
  readMaskedPath,
  textsOf,
  type MaskedPath,
} from "./masked-values.ts";

function paths(...texts: readonly string[]): readonly MaskedPath[] {
  return texts.map((text) => readMaskedPath(text) ?? []);
}

const customer = {
  name: "Ada",
  iban: "DE89370400440532013000",
  cards: [{ number: "4242", cvc: "999" }, { number: "4000" }],
  notes: null,
};

describe("a path", () => {
  test.each([["a"], ["a.b"], ["*.b"], ["**"], ["**.iban"]])("%s is one", (text) => {
    expect(readMaskedPath(text)).toEqual(text.split("."));
  });

  test.each([[""], ["a..b"], [".a"], ["a."], [Array.from({ length: 17 }, () => "a").join(".")]])(
    "%j is none",
    (text) => {
      expect(readMaskedPath(text)).toBeNull();
    },
  );
});

describe("a masked value", () => {
  const cases: readonly (readonly [string, readonly string[], Json])[] = [
    ["of a field", ["iban"], { ...customer, iban: "[masked: iban]" }],
    [
      "of every item of a list, without a word about the list",
      ["cards.cvc"],
      { ...customer, cards: [{ number: "4242", cvc: "[masked: cards.0.cvc]" }, { number: "4000" }] },
    ],
    [
      "of one item of a list",
      ["cards.1"],
      { ...customer, cards: [customer.cards[0] ?? null, "[masked: cards.1]"] },
    ],
    [
      "of any name",
      ["*.number"],
      {
        ...customer,
        cards: [{ number: "[masked: cards.0.number]", cvc: "999" }, { number: "[masked: cards.1.number]" }],
      },
    ],
    [
      "at any depth",
      ["**.number", "**.iban"],
      {
        ...customer,
        iban: "[masked: iban]",
        cards: [{ number: "[masked: cards.0.number]", cvc: "999" }, { number: "[masked: cards.1.number]" }],
      },
    ],
    ["of the whole", ["**"], "[masked]"],
    ["that is a list", ["cards"], { ...customer, cards: "[masked: cards]" }],
    ["that is null or absent has no mark", ["notes", "phone", "name.first"], customer],
  ];

  test.each(cases)("%s is a mark", (_, masked, shown) => {
    expect(maskValue(customer, paths(...masked))).toEqual(shown);
  });

  test("is left alone where nothing is masked", () => {
    expect(maskValue(customer, [])).toBe(customer);
    expect(maskedPlaces(customer, [])).toEqual([]);
  });

  test("is told with its place, at most 500 of them", () => {
    expect(maskedPlaces(customer, paths("iban", "cards.number"))).toEqual([
      { path: "iban", value: customer.iban },
      { path: "cards.0.number", value: "4242" },
      { path: "cards.1.number", value: "4000" },
    ]);
    expect(
      maskedPlaces(
        Array.from({ length: 600 }, () => 1),
        paths("*"),
      ),
    ).toHaveLength(500);
  });
});

describe("one place of a comparison", () => {
  test.each([
    ["iban", "DE89", "[masked: iban]"],
    ["cards.0.cvc", "999", "[masked: cards.0.cvc]"],
    ["cards.0", { number: "4242", cvc: "999" }, { number: "4242", cvc: "[masked: cards.0.cvc]" }],
    ["secret.deep", "x", "[masked: secret.deep]"],
    ["secret.deep", null, null],
    ["name", "Ada", "Ada"],
    ["", { iban: "DE89" }, { iban: "[masked: iban]" }],
  ] as const)("%s is a mark where it is masked, or within what is", (path, value, shown) => {
    expect(maskAt(value, path, paths("iban", "cards.cvc", "secret"))).toEqual(shown);
  });

  test("stays where nothing is masked", () => {
    expect(maskAt("x", "iban", [])).toBe("x");
  });
});

describe("a correction by somebody who saw marks", () => {
  const masked = paths("iban", "cards.cvc", "limit");
  const current = { ...customer, limit: 5_000 };

  test("keeps what is behind each mark, whatever it is", () => {
    expect(keepMasked(maskValue({ ...current, name: "Eve" }, masked), current, masked)).toEqual({
      kind: "value",
      value: { ...current, name: "Eve" },
    });
  });

  test("takes a new value in the place of a mark", () => {
    const given = { ...current, iban: "FR14", cards: [{ number: "4242", cvc: "[masked: cards.0.cvc]" }] };
    expect(keepMasked(given, current, masked)).toEqual({
      kind: "value",
      value: { ...current, iban: "FR14", cards: [{ number: "4242", cvc: "999" }] },
    });
  });

  test("keeps the value of an item that moved within its list", () => {
    const given = { cards: [{ number: "new" }, { number: "4242", cvc: markAt("cards.0.cvc") }] };
    expect(keepMasked(given, current, masked)).toEqual({
      kind: "value",
      value: { cards: [{ number: "new" }, { number: "4242", cvc: "999" }] },
    });
  });

  test("puts no masked value where it would be in sight, however it is asked to", () => {
    const mark = markAt("iban");
    const given = { ...current, name: mark, [mark]: "x", notes: [mark], cards: [{ number: mark }] };
    expect(keepMasked(given, current, masked)).toEqual({
      kind: "unknown",
      paths: ["name", "cards.0.number", "notes.0"],
    });
  });

  test("names marks that nothing stands behind", () => {
    const given = { iban: "[masked: bic]", cards: ["[masked]", 1, null, true] };
    expect(keepMasked(given, current, masked)).toEqual({ kind: "unknown", paths: ["iban", "cards.0"] });
  });
});

describe("texts that repeat what is masked", () => {
  const texts = textsOf(
    maskedPlaces({ ...customer, limit: 5_000, ok: true }, paths("iban", "cards", "limit", "ok")),
  );

  test("are the masked texts and numbers, longest first, without those that are in every other word", () => {
    expect(texts).toEqual(["DE89370400440532013000", "4242", "4000", "5000"]);
  });

  test("lose them wherever they stand", () => {
    expect(maskTexts("IBAN DE89370400440532013000 of 4242, DE89370400440532013000", texts)).toBe(
      "IBAN *** of ***, ***",
    );
    expect(maskTexts("nothing", texts)).toBe("nothing");
  });

  test("lose them in all that is told but names and ids; numbers are left, since they may be anything", () => {
    const told = { step: "4242", sentence: "card 4242", revision: 5_000, deep: [{ why: "4000" }, null] };
    expect(maskTextsIn(told, texts, new Set(["step"]))).toEqual({
      step: "4242",
      sentence: "card ***",
      revision: 5_000,
      deep: [{ why: "***" }, null],
    });
    expect(maskTextsIn(told, [], new Set())).toBe(told);
  });

  test("lose them also in what stands under the word of a name and is none", () => {
    const plan = { step: { why: "4242" }, steps: ["4242", "pay"], named: ["4242", { why: "4242" }] };
    expect(maskTextsIn(plan, texts, new Set(["step", "steps", "named"]))).toEqual({
      step: { why: "***" },
      steps: ["4242", "pay"],
      named: ["***", { why: "***" }],
    });
  });

  test("lose them in data with its numbers, and keep the marks", () => {
    const request = { iban: "x", to: "DE89370400440532013000", cents: 5_000, n: 7, mark: "[masked: 4242]" };
    expect(maskData(request, paths("iban"), texts)).toEqual({
      iban: "[masked: iban]",
      to: "***",
      cents: "***",
      n: 7,
      mark: "[masked: 4242]",
    });
    expect(maskData(request, [], [])).toBe(request);
  });

  test("end at a depth that no value has", () => {
    let deep: unknown = "4242";
    for (let level = 0; level < 300; level += 1) deep = [deep];
    expect(JSON.stringify(maskTextsIn(deep, texts, new Set()))).toContain("4242");
  });
});
