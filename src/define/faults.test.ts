import { describe, expect, test } from "vitest";
import { FootholdError } from "../core/errors.ts";
import { defineCase } from "./builder.ts";
import { defineDestination } from "./destination.ts";
import { probe } from "./probe.ts";
import {
  erp,
  faultsOf,
  head,
  holds,
  input,
  nameRule,
  run,
  untypedCase,
  untypedDestination,
  untypedProbe,
  type Untyped,
} from "./untyped.fixture.ts";

/** Of a case type, as a fault names them. */
const OPTIONS =
  "version, owner, input, events, keyFreedBy, keys, concurrency, attributes, tags, masked, removed";

describe("a faulty case type", () => {
  test.each<[string, unknown, unknown, readonly string[]]>([
    ["without a name", undefined, head, [`name: the name is missing: ${nameRule}`]],
    ["with a wrong name", "1st order", head, [`name: "1st order" is not a name: ${nameRule}`]],
    ["with a reserved name", "case", head, ["name: the name case is reserved: take another"]],
    [
      "without options",
      "purchase",
      undefined,
      [
        `: give an object with ${OPTIONS}, not nothing`,
        "version: must be a whole number from 1 to 2147483647",
        "owner: is missing: say who takes whatever no destination owner covers",
        "input: is missing: give the schema of what a case starts with",
      ],
    ],
    [
      "of version 0",
      "purchase",
      { ...head, version: 0 },
      ["version: must be a whole number from 1 to 2147483647"],
    ],
    [
      "of half a version",
      "purchase",
      { ...head, version: 1.5 },
      ["version: must be a whole number from 1 to 2147483647"],
    ],
    [
      "of a version in words",
      "purchase",
      { ...head, version: "1" },
      ["version: must be a whole number from 1 to 2147483647"],
    ],
    [
      "with a blank owner",
      "purchase",
      { ...head, owner: " " },
      [
        "owner: must say who takes whatever no destination owner covers: a text of 1 to 200 characters on one line",
      ],
    ],
    [
      "whose input is no schema",
      "purchase",
      { ...head, input: { vendor: "string" } },
      ["input: must be a schema that speaks Standard Schema, such as one of zod, valibot or arktype"],
    ],
    [
      "with a limit of a key that is none",
      "purchase",
      { ...head, concurrency: { key: async () => "c-7", limit: 1_001, freedBy: "review", per: "tenant" } },
      [
        "concurrency.per: there is no such option; there are key, limit, freedBy",
        "concurrency.key: must be a function that is not async",
        "concurrency.limit: must be a whole number from 1 to 1000",
        "concurrency.freedBy: must be rest or end",
      ],
    ],
    [
      "with a limit without a key",
      "purchase",
      { ...head, concurrency: { limit: 2 } },
      [
        "concurrency.key: is missing: give the function that says from the input what cases are worked on together by",
      ],
    ],
    [
      "with an option that does not exist",
      "purchase",
      { ...head, retries: 3 },
      [`retries: there is no such option; there are ${OPTIONS}`],
    ],
    [
      "with events that are faulty",
      "purchase",
      { ...head, events: { "a b": input, toString: input, paid: "yes" } },
      [
        `events.a b: "a b" is not an event type: 1 to 128 characters without white space`,
        "events.toString: the name toString is reserved: take another",
        "events.paid: must be a schema that speaks Standard Schema, such as one of zod, valibot or arktype",
      ],
    ],
    [
      "with a list of events",
      "purchase",
      { ...head, events: [input] },
      ["events: give an object, not an array"],
    ],
  ])("%s is refused", (_, name, options, faults) => {
    expect(faultsOf(untypedCase(name, options).sleep("rest", { for: "1s" }))).toEqual(faults);
  });

  test("without steps is refused", () => {
    expect(faultsOf(defineCase("purchase", head))).toEqual([
      "steps: there are none: add one, as with .step(name, { … })",
    ]);
  });

  test("with more than 200 steps is refused, one with 200 is not", () => {
    const rests = Array.from({ length: 200 }, (_, index) => `rest${index}`);
    const start = untypedCase("purchase", head);
    const many = rests.reduce((all, name) => all.sleep(name, { for: "1s" }), start);
    expect(many.outline.steps).toHaveLength(200);
    expect(faultsOf(many.sleep("rest200", { for: "1s" }))).toEqual([
      "steps: there are 201, at most 200 are allowed: split the case type",
    ]);
  });
});

describe("a faulty step", () => {
  const start = untypedCase("purchase", { ...head, events: { paid: input } });
  const step = { to: erp, run };

  test.each<[string, Untyped, readonly string[]]>([
    ["without a name", start.step(undefined, step), [`steps.1: the name is missing: ${nameRule}`]],
    [
      "with a wrong name",
      start.step("send it", step),
      [`steps.send it: "send it" is not a name: ${nameRule}`],
    ],
    ["named case", start.step("case", step), ["steps.case: the name case is reserved: take another"]],
    [
      "named as any object's own",
      start.step("constructor", step),
      ["steps.constructor: the name constructor is reserved: take another"],
    ],
    [
      "with a name that is taken",
      start.step("send", step).sleep("rest", { for: "1s" }).step("send", step),
      ["steps.send: two steps have this name: give each its own"],
    ],
    [
      "without options",
      start.sleep("rest"),
      [
        "steps.rest: give an object with for, formerly, after, when, requires, uses, not nothing",
        'steps.rest.for: is missing: give a duration such as "30s", "5m" or "3d"',
      ],
    ],
    [
      "with an option that does not exist",
      start.step("send", { ...step, requries: {} }),
      [
        "steps.send.requries: there is no such option; there are to, before, request, run, check, version, onLapse, " +
          "undo, result, deadline, masked, formerly, after, when, requires, uses",
      ],
    ],
    [
      "after one that does not exist",
      start.step("send", step).step("tell", { ...step, after: ["sent"] }),
      ["steps.tell.after: there is no step sent. There are: send"],
    ],
    [
      "after one twice",
      start.step("send", step).step("tell", { ...step, after: ["send", "send"] }),
      ["steps.tell.after: names send twice"],
    ],
    [
      "after no list",
      start.step("send", { ...step, after: "send" }),
      ["steps.send.after: must be a list of names"],
    ],
    [
      "after itself",
      start.step("send", { ...step, after: ["send"] }),
      ["steps: send follows send: none of them could ever begin, so one must not follow"],
    ],
    [
      "in a circle",
      start
        .step("send", { ...step, after: ["tell"] })
        .step("file", step)
        .step("tell", step),
      [
        "steps: send follows tell follows file follows send: none of them could ever begin, so one must not follow",
      ],
    ],
    [
      "that names no field it uses",
      start.step("send", { ...step, uses: [] }),
      ["steps.send.uses: names nothing: name the input fields it rests on, or leave it out to rest on all"],
    ],
    [
      "that uses no names",
      start.step("send", { ...step, uses: [1] }),
      ["steps.send.uses: must be a list of names"],
    ],
    [
      "without a destination and without run",
      start.step("send", {}),
      [
        "steps.send.to: must be a destination: where it sends to, of defineDestination",
        "steps.send.run: is missing: give the function that sends",
      ],
    ],
    [
      "whose functions are none",
      start.step("send", { to: erp, run: "run", check: {}, request: 1 }),
      [
        "steps.send.request: must be a function, not a number",
        "steps.send.run: must be a function, not a text",
        "steps.send.check: must be a function, not an object",
      ],
    ],
    [
      "with an asynchronous request",
      start.step("send", { ...step, request: async () => Promise.resolve(1) }),
      ["steps.send.request: must not be async: it says what to send, from the facts it is given"],
    ],
    [
      "whose result is no schema",
      start.step("send", { ...step, result: {} }),
      [
        "steps.send.result: must be a schema that speaks Standard Schema, such as one of zod, valibot or arktype",
      ],
    ],
    [
      "that may take over 10 min",
      start.step("send", { ...step, deadline: "11m" }),
      ["steps.send.deadline: must be at most 10m"],
    ],
    [
      "that has no time",
      start.step("send", { ...step, deadline: 0 }),
      ["steps.send.deadline: must be at least 1ms"],
    ],
    [
      "with a deadline that is no duration",
      start.step("send", { ...step, deadline: "soon" }),
      [
        'steps.send.deadline: "soon" is not a duration: write milliseconds as a number, or a text such as "250ms", ' +
          '"30s", "5m", "24h" or "3d"',
      ],
    ],
    [
      "that is sent to a destination with lookup, and cannot ask it",
      start.step("send", { to: defineDestination("bank", { idempotency: { by: "lookup" } }), run }),
      [
        "steps.send.check: is missing: bank is repeated by lookup, so every step sent there must be able to ask it",
      ],
    ],
    [
      "approved by nobody, and in no time",
      start.approval("approve", { expires: "0s", form: "yes" }),
      [
        "steps.approve.by: is missing: say whom it is asked of",
        "steps.approve.form: must be a schema that speaks Standard Schema, such as one of zod, valibot or arktype",
        "steps.approve.expires: must be at least 1ms",
      ],
    ],
    [
      "approved too late, or by nobody else",
      start
        .approval("late", {
          by: "finance",
          expires: "1d",
          remind: "1d",
          escalate: { to: "board", after: "2d" },
        })
        .approval("same", { by: "finance", remind: "1s", escalate: { to: "finance" } })
        .approval("odd", { by: "finance", escalate: "board" })
        .approval("good", { by: "finance", remind: "90d", escalate: { to: "board", after: "90d" } }),
      [
        "steps.late.remind: comes after 1d, and the approval expires after 1d: make it shorter",
        "steps.late.escalate.after: comes after 2d, and the approval expires after 1d: make it shorter",
        "steps.same.remind: must be at least 1m",
        'steps.same.escalate.after: is missing: give a duration such as "30s", "5m" or "3d"',
        "steps.same.escalate.to: names finance, of whom it is asked from the beginning",
        "steps.odd.escalate: give an object with to, after, not a text",
        "steps.odd.escalate.to: is missing: say who is asked too",
        'steps.odd.escalate.after: is missing: give a duration such as "30s", "5m" or "3d"',
      ],
    ],
    [
      "that waits for an event the case type does not take",
      start.waitForEvent("wait", { event: "payed", timeout: "3d" }),
      ["steps.wait.event: the case type takes no event payed: add it to its events. It takes: paid"],
    ],
    [
      "that waits for the first of one, or of an event twice, or of one that it does not take",
      start
        .waitForEvent("one", { event: ["paid"], timeout: "3d" })
        .waitForEvent("twice", { event: ["paid", "paid"], timeout: "3d" })
        .waitForEvent("other", { event: ["paid", "payed"], timeout: "3d" })
        .waitForEvent("none", { event: [7], timeout: "3d" }),
      [
        "steps.one.event: names 1: a list has 2 to 20 event types",
        "steps.twice.event: names paid twice",
        "steps.twice.event: names 1: a list has 2 to 20 event types",
        "steps.other.event: the case type takes no event payed: add it to its events. It takes: paid",
        "steps.none.event: must be a list of names",
      ],
    ],
    [
      "that waits for nothing, for ever",
      start.waitForEvent("wait", {}),
      [
        "steps.wait.event: is missing: say which event it waits for",
        'steps.wait.timeout: is missing: give a duration such as "30s", "5m" or "3d"',
      ],
    ],
    [
      "that looks at nothing, too often, for ever",
      start.poll("look", { of: "erp", every: "1ms", result: 7 }),
      [
        "steps.look.of: must be the destination that is looked at, of defineDestination",
        "steps.look.look: is missing: give the function that looks",
        "steps.look.every: must be at least 1s",
        'steps.look.timeout: is missing: give a duration such as "30s", "5m" or "3d"',
        "steps.look.result: must be a schema that speaks Standard Schema, such as one of zod, valibot or arktype",
      ],
    ],
    ["that sleeps for no time", start.sleep("rest", { for: "0d" }), ["steps.rest.for: must be at least 1ms"]],
  ])("%s is refused", (_, caseType, faults) => {
    expect(faultsOf(caseType)).toEqual(faults);
  });
});

/** The faults of a case type whose one step has these conditions. */
function faultsOfConditions(conditions: object): readonly string[] {
  return faultsOf(untypedCase("purchase", head).step("send", { to: erp, run, ...conditions }));
}

describe("a faulty condition", () => {
  test.each<[string, object, readonly string[]]>([
    [
      "that is neither function nor probe",
      { requires: { open: true } },
      ["steps.send.requires.open: must be a function or probe({ … }), not a boolean"],
    ],
    [
      "in a list",
      { before: [holds] },
      ["steps.send.before: must be an object of conditions by name, not an array"],
    ],
    [
      "with a name on two lines",
      { requires: { "still\nopen": holds } },
      ["steps.send.requires.still\nopen: must have a name that people can read, on one line"],
    ],
    [
      "with a name of both groups",
      { requires: { open: holds }, before: { open: holds } },
      ["steps.send.before.open: has the name of another condition of this step: give each its own"],
    ],
    [
      "that makes the step needed and has the name of a prerequisite",
      { when: { open: holds }, requires: { open: holds } },
      ["steps.send.requires.open: has the name of another condition of this step: give each its own"],
    ],
    [
      "of `when` that asks outside",
      { when: { open: untypedProbe({}) } },
      ["steps.send.when.open: must be a function of the facts, not an object"],
    ],
    [
      "that is asynchronous but no probe",
      { requires: { open: async () => Promise.resolve(true) } },
      [
        "steps.send.requires.open: must not be async: it decides from the facts it is given; ask outside with probe({ … })",
      ],
    ],
    [
      "that asks nobody anything",
      { requires: { open: untypedProbe({}) } },
      [
        "steps.send.requires.open.of: must be the destination that is asked, of defineDestination",
        "steps.send.requires.open.ask: is missing: give the function that asks",
      ],
    ],
    [
      "whose times are out of bounds",
      { before: { open: probe({ of: erp, ask: holds, freshFor: "999ms", deadline: "601s" }) } },
      [
        "steps.send.before.open.deadline: must be at most 10m",
        "steps.send.before.open.freshFor: must be at least 1s",
      ],
    ],
    [
      "with an option that does not exist",
      { before: { open: untypedProbe({ of: erp, ask: holds, fresh: 1 }) } },
      ["steps.send.before.open.fresh: there is no such option; there are of, freshFor, deadline, ask"],
    ],
    [
      "among too many",
      { requires: Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`c${index}`, holds])) },
      ["steps.send.requires: has 51 conditions, at most 50 are allowed"],
    ],
  ])("%s is refused", (_, conditions, faults) => {
    expect(faultsOfConditions(conditions)).toEqual(faults);
  });
});

describe("the refusal", () => {
  const faulty = untypedCase("purchase", { ...head, version: 0 })
    .step("send", { to: untypedDestination("erp", {}), run, after: ["approve"] })
    .sleep("rest", { for: "never" });

  test("names all faults at once, in the message and as data, and comes again at every look", () => {
    expect(faultsOf(faulty)).toHaveLength(4);
    for (const look of [() => faulty.outline, () => faulty.steps, () => faulty.input, () => faulty.events]) {
      expect(look).toThrow(FootholdError);
      expect(look).toThrow(
        expect.objectContaining({
          code: "INVALID_DEFINITION",
          message: [
            "4 faults in case type purchase. Nothing was loaded; correct:",
            "- purchase: version: must be a whole number from 1 to 2147483647",
            "- purchase: destinations.erp.idempotency: is missing: say what makes a repeat safe there, " +
              `{ by: "key", window: "24h" }, or { by: … } with one of unique, if-match, fence, transaction, lookup, none`,
            '- purchase: steps.rest.for: "never" is not a duration: write milliseconds as a number, ' +
              'or a text such as "250ms", "30s", "5m", "24h" or "3d"',
            "- purchase: steps.send.after: there is no step approve. There are: rest",
          ].join("\n"),
        }),
      );
    }
  });

  test("waits until the case type is looked at: to write one throws nothing", () => {
    expect(() => faulty.step("more", {})).not.toThrow();
  });

  test("of very many faults shows a bounded number of them, and counts the rest", () => {
    const many = Array.from({ length: 150 }).reduce<Untyped>(
      (all) => all.sleep("1", {}),
      untypedCase("purchase", head),
    );
    let message = "";
    try {
      expect(many.outline).toBe("never reached");
    } catch (error) {
      message = (error as Error).message;
    }
    const lines = message.split("\n");
    expect(lines).toHaveLength(102);
    expect(lines.at(-1)).toMatch(/^- and \d+ more$/);
  });
});

describe("former names of steps", () => {
  const at = { to: erp, run } as const;
  test.each<[string, readonly string[], readonly string[], readonly string[], RegExp]>([
    ["its own", ["first"], [], [], /names first, its own name/],
    ["that of a step that is there", ["second"], [], [], /names second, which is a step/],
    ["that of a step which had this one's", ["second"], ["first"], [], /changed names with each other/],
    ["one that another step had too", ["old"], ["old"], [], /names old, as first does/],
    ["one that was removed", ["old"], [], ["old"], /`removed` names too/],
    ["the same one twice", ["old", "old"], [], [], /names old twice/],
  ])("are refused where one is %s", (_, first, second, removed, fault) => {
    const definition = defineCase("purchase", { version: 1, owner: "ops", input, removed })
      .step("first", { ...at, formerly: first })
      .step("second", { ...at, formerly: second });
    expect(() => definition.outline).toThrow(fault);
  });

  test("are part of the outline", () => {
    const definition = defineCase("purchase", { version: 1, owner: "ops", input }).step("first", {
      ...at,
      formerly: ["old", "older"],
    });
    expect(definition.outline.steps).toMatchObject([{ name: "first", formerly: ["old", "older"] }]);
  });
});
