import { describe, expect, test } from "vitest";
import { z } from "zod";
import { didNotHappen } from "../define/answers.ts";
import { defineCase } from "../define/builder.ts";
import type { CaseType } from "../define/case-type.ts";
import { defineDestination, type DestinationOptions } from "../define/destination.ts";
import { probe } from "../define/probe.ts";
import { examineDefinitions } from "./definitions.ts";
import type { Finding } from "./finding.ts";

const HOUR = 3_600_000;
const owners = { access: "admins", input: "desk", outage: "platform" };
const input = z.object({ amount: z.number() });
const head = { version: 1, owner: "ops", input };
const ping = async (): Promise<null> => null;

function sound(over: Partial<DestinationOptions> = {}): DestinationOptions {
  return { idempotency: { by: "key", window: "24h" }, owners, ping, ...over };
}

function caseTo(over: Partial<DestinationOptions>): CaseType {
  const to = defineDestination("erp", sound(over));
  return defineCase("order", head).step("create", {
    to,
    request: ({ input: given }) => given.amount,
    run: () => null,
  });
}

function codes(caseTypes: readonly CaseType[], repairMs = 16 * HOUR): readonly string[] {
  return examineDefinitions(caseTypes, { repairMs }).map(
    ({ code, step, destination }) => `${code} ${[step, destination].filter((one) => one !== null).join(" ")}`,
  );
}
const first = (caseType: CaseType): Finding | undefined =>
  examineDefinitions([caseType], { repairMs: 16 * HOUR })[0];

describe("the doctor", () => {
  test("finds nothing about sound definitions", () => {
    expect(codes([caseTo({})])).toEqual([]);
  });

  test.each<[string, Partial<DestinationOptions>, readonly string[]]>([
    [
      "a key that is known for shorter than a step is tried",
      { idempotency: { by: "key", window: "3h" } },
      ["WINDOW_TOO_SHORT erp"],
    ],
    [
      "a key whose window leaves people too little time",
      { idempotency: { by: "key", window: "12h" } },
      ["WINDOW_TIGHT erp"],
    ],
    [
      "a write that is tried for longer than its key is known",
      { retry: { giveUpAfter: "2d" } },
      ["WINDOW_TOO_SHORT erp"],
    ],
    ["a client that repeats more often than a step may send", { clientTries: 3 }, ["MULTIPLIED erp"]],
    [
      "a client whose repeats are within what a step may send",
      { clientTries: 2, retry: { maxAttempts: 4 } },
      [],
    ],
    ["a client that may send as much as it says", { clientTries: 3, retry: { maxRequests: 15 } }, []],
    [
      "a client that repeats what nothing there tells from another order",
      { clientTries: 3, idempotency: { by: "none" } },
      ["UNSAFE_HIDDEN_RETRY erp", "MULTIPLIED erp", "NO_REPEAT_SAFETY create erp"],
    ],
    [
      "a write without a key and without a check",
      { idempotency: { by: "none" } },
      ["NO_REPEAT_SAFETY create erp"],
    ],
    [
      "owners that nobody named",
      { owners: {} },
      ["ACCESS_OWNER_MISSING erp", "INPUT_OWNER_MISSING erp", "OUTAGE_OWNER_MISSING erp"],
    ],
  ])("finds %s", (_, over, found) => {
    expect(codes([caseTo(over)])).toEqual(found);
  });

  test("says in plain words what is the matter, and the setting that mends it", () => {
    expect(first(caseTo({ idempotency: { by: "key", window: "12h" } }))).toEqual({
      code: "WINDOW_TIGHT",
      severity: "warning",
      caseType: null,
      step: null,
      destination: "erp",
      sentence:
        "erp knows a key again for 12h; after trying for 4h people have 8h to repair what is unknown, and usually take 16h.",
      remedy: "a shorter retry: { giveUpAfter }, a `check` on each step sent there, or a longer window",
    });
    expect(codes([caseTo({ idempotency: { by: "key", window: "12h" } })], 8 * HOUR)).toEqual([]);
  });

  test("cannot tell the client of a destination without a ping, and says so", () => {
    const to = defineDestination("erp", { idempotency: { by: "key", window: "24h" }, owners });
    const silent = defineCase("order", head).step("create", { to, request: () => 1, run: () => null });
    expect(codes([silent])).toEqual(["PING_MISSING erp"]);
    // What it repeats is told, so there is nothing to be found out.
    const { ping: _none, ...told } = sound({ clientTries: 1 });
    const telling = defineCase("telling", head).step("create", {
      to: defineDestination("erp", told),
      request: (facts) => facts.input.amount,
      run: () => null,
    });
    expect(codes([telling])).toEqual([]);
  });

  test("looks at each destination once, also at one that is only asked", () => {
    const crm = defineDestination("crm", { idempotency: { by: "none" }, owners });
    const asking = defineCase("asking", head)
      .sleep("rest", { for: "1h", requires: { open: probe({ of: crm, ask: () => true }) } })
      .sleep("more", { for: "1h", requires: { open: probe({ of: crm, ask: () => true }) } });
    expect(codes([asking, asking])).toEqual(["PING_MISSING crm"]);
  });

  test("finds what is odd about single steps", () => {
    const erp = defineDestination("erp", sound());
    const mail = defineDestination("mail", sound({ idempotency: { by: "none" } }));
    const odd = defineCase("odd", { ...head, events: { paid: input } })
      .approval("approve", { by: "finance" })
      .step("create", {
        to: erp,
        deadline: "5m",
        onLapse: "undo",
        run: () => null,
        undo: { run: () => null },
      })
      .step("tell", { to: mail, run: () => null, check: () => didNotHappen() })
      .waitForEvent("wait", { event: "paid", timeout: "1d" });
    expect(codes([odd])).toEqual([
      "APPROVAL_WITHOUT_END approve",
      "REQUEST_MISSING create erp",
      "DEADLINE_LONG create erp",
      "DEADLINE_LONG create.undo erp",
      "LOOKUP_AS_NONE tell mail",
      "LAPSE_TO_PERSON tell mail",
    ]);
  });
});
