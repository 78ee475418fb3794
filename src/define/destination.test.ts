import { describe, expect, test } from "vitest";
import { defineDestination } from "./destination.ts";
import {
  erp,
  faultsOf,
  head,
  nameRule,
  run,
  untypedCase,
  untypedDestination,
  untypedProbe,
} from "./untyped.fixture.ts";

/** The faults of a case type that sends to a destination written so. */
function faultsOfDestination(name: unknown, options: unknown): readonly string[] {
  return faultsOf(untypedCase("purchase", head).step("send", { to: untypedDestination(name, options), run }));
}

describe("a faulty destination", () => {
  const key = { idempotency: { by: "key", window: "24h" } };
  const ways = `{ by: "key", window: "24h" }, or { by: … } with one of unique, if-match, fence, transaction, lookup, none`;

  test.each<[string, unknown, unknown, readonly string[]]>([
    ["with a wrong name", "the erp", key, [`destinations.the erp: "the erp" is not a name: ${nameRule}`]],
    [
      "without options",
      "erp",
      undefined,
      [
        "destinations.erp: give an object with idempotency, credential, ping, transport, clientTries, owners, retry, inFlight, readLag, " +
          "requestAge, sort, masked, not nothing",
        `destinations.erp.idempotency: is missing: say what makes a repeat safe there, ${ways}`,
      ],
    ],
    [
      "without repeat safety",
      "erp",
      {},
      [`destinations.erp.idempotency: is missing: say what makes a repeat safe there, ${ways}`],
    ],
    [
      "with an unknown repeat safety",
      "erp",
      { idempotency: { by: "luck" } },
      [`destinations.erp.idempotency: must be one of ${ways}`],
    ],
    [
      "by key without a window",
      "erp",
      { idempotency: { by: "key" } },
      ['destinations.erp.idempotency.window: is missing: give a duration such as "30s", "5m" or "3d"'],
    ],
    [
      "by lookup with a window",
      "erp",
      { idempotency: { by: "none", window: "1h" } },
      ['destinations.erp.idempotency.window: only a destination with by: "key" has a window'],
    ],
    [
      "with a credential that is no text",
      "erp",
      { ...key, credential: () => 7 },
      ["destinations.erp.credential: must name the account: a text, or a function that returns one"],
    ],
    [
      "with a credential that cannot be refreshed",
      "erp",
      { ...key, credential: { id: 7, refresh: "soon", token: "t" }, ping: true },
      [
        "destinations.erp.credential.token: there is no such option; there are id, refresh",
        "destinations.erp.credential.refresh: must be a function, not a text",
        "destinations.erp.credential.id: must name the account: a text, or a function that returns one",
        "destinations.erp.ping: must be a function, not a boolean",
      ],
    ],
    [
      "with a credential of an object that says nothing",
      "erp",
      { ...key, credential: {} },
      [
        "destinations.erp.credential.refresh: is missing: give the function that has a new token, or name the account alone",
      ],
    ],
    [
      "whose credential throws",
      "erp",
      {
        ...key,
        credential: () => {
          throw new Error("no vault");
        },
      },
      ["destinations.erp.credential: threw Error: no vault"],
    ],
    [
      "with faulty owners",
      "erp",
      { ...key, owners: { access: "", billing: "x" } },
      [
        "destinations.erp.owners.billing: there is no such option; there are access, input, outage",
        "destinations.erp.owners.access: must say who can restore access: a text of 1 to 200 characters on one line",
      ],
    ],
    [
      "with faulty bounds",
      "erp",
      {
        ...key,
        retry: { maxAttempts: 0, maxThrottles: 1_001, firstDelay: "2m", maxDelay: "1m", giveUpAfter: "1m" },
      },
      [
        "destinations.erp.retry.maxAttempts: must be a whole number from 1 to 100",
        "destinations.erp.retry.maxThrottles: must be a whole number from 1 to 1000",
        "destinations.erp.retry.maxDelay: must not be shorter than firstDelay",
        "destinations.erp.retry.giveUpAfter: is shorter than firstDelay, so nothing would be tried again; if that is " +
          "meant, say maxAttempts: 1",
      ],
    ],
    [
      "with fewer requests than attempts",
      "erp",
      { ...key, retry: { maxAttempts: 9, maxRequests: 8 } },
      [
        "destinations.erp.retry.maxRequests: must not be less than maxAttempts: each attempt makes at least one",
      ],
    ],
    [
      "with a faulty limit",
      "erp",
      { ...key, inFlight: { start: 9, max: 8, min: 1 } },
      [
        "destinations.erp.inFlight.min: there is no such option; there are start, max",
        "destinations.erp.inFlight.start: must be a whole number from 1 to 8",
      ],
    ],
    [
      "with faulty times",
      "erp",
      { ...key, readLag: "25h", requestAge: -1 },
      [
        "destinations.erp.readLag: must be at most 1d",
        'destinations.erp.requestAge: -1 is not a duration: write milliseconds as a number, or a text such as "250ms", ' +
          '"30s", "5m", "24h" or "3d"',
      ],
    ],
  ])("%s is refused", (_, name, options, faults) => {
    expect(faultsOfDestination(name, options)).toEqual(faults);
  });

  test("is named once, however many steps send there or ask it", () => {
    const bank = untypedDestination("bank", {});
    const caseType = untypedCase("purchase", head)
      .step("send", { to: bank, run })
      .step("send2", { to: bank, run, requires: { open: untypedProbe({ of: bank, ask: run }) } });
    expect(faultsOf(caseType)).toHaveLength(1);
  });

  test("of the name of another with other settings is refused, an equal one is not", () => {
    const again = defineDestination("erp", { idempotency: { by: "key", window: 24 * 3_600_000 } });
    const other = defineDestination("erp", { idempotency: { by: "none" } });
    const base = untypedCase("purchase", head).step("send", { to: erp, run });
    expect(base.step("again", { to: again, run }).outline.steps).toHaveLength(2);
    expect(faultsOf(base.step("other", { to: other, run }))).toEqual([
      "destinations.erp: two destinations with different settings have this name: define it once and share it, or " +
        "rename one",
    ]);
  });
});
