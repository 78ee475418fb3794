import { type } from "arktype";
import * as v from "valibot";
import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";
import type { Json } from "../core/json.ts";
import { broken, cannotTell, didNotHappen, found, happened, holds, notYet } from "./answers.ts";
import { defineCase } from "./builder.ts";
import type { CaseType, JsonScope } from "./case-type.ts";
import { defineDestination } from "./destination.ts";
import { probe } from "./probe.ts";

const erp = defineDestination("erp", { idempotency: { by: "key", window: "24h" } });

const start = defineCase("purchase", {
  version: 1,
  owner: "purchasing",
  input: z.object({ vendor: z.string(), amount: z.number().default(1), due: z.coerce.date() }),
  events: {
    "approval.revoked": z.object({ reason: z.string(), at: z.date() }),
    paid: z.object({ cents: z.number() }),
  },
});

const approved = start.approval("approve", { by: "finance", form: z.object({ validUntil: z.date() }) });

const recorded = approved.step("createRecord", {
  to: erp,
  run: async () =>
    Promise.resolve({ recordId: "R-1", createdAt: new Date(0), note: undefined as string | undefined }),
});

interface Recorded {
  recordId: string;
  createdAt: string;
  note?: string;
}

describe("a step with `when`", () => {
  const audited = recorded.step("audit", {
    to: erp,
    when: {
      "over 1,000": ({ input, results }) => {
        expectTypeOf(input.amount).toEqualTypeOf<number>();
        expectTypeOf(results.createRecord).toEqualTypeOf<Recorded>();
        return input.amount > 1_000;
      },
    },
    run: async () => Promise.resolve({ auditor: "Kim" }),
  });

  test("may have no result in later steps", () => {
    audited.step("notify", {
      to: erp,
      request: ({ results }) => {
        expectTypeOf(results.audit).toEqualTypeOf<{ auditor: string } | undefined>();
        return results.audit?.auditor ?? null;
      },
      run: () => null,
    });
    const waits = { when: { "over 1,000": () => false } };
    recorded
      .approval("second", { by: "board", ...waits })
      .waitForEvent("payment", { event: "paid", timeout: "3d", ...waits })
      .sleep("night", { for: "8h", ...waits })
      .step("notify", {
        to: erp,
        run: ({ results }) => {
          expectTypeOf(results.second).toEqualTypeOf<
            { readonly by: string; readonly form: null } | undefined
          >();
          expectTypeOf(results.payment).toEqualTypeOf<{ cents: number } | undefined>();
          expectTypeOf(results.night).toEqualTypeOf<null | undefined>();
        },
      });
  });

  test("is decided from facts, never by asking outside", () => {
    recorded.step("audit", {
      to: erp,
      // @ts-expect-error -- a probe asks outside
      when: { active: probe({ of: erp, ask: () => true }) },
      run: () => null,
    });
  });
});

describe("results", () => {
  test("are typed in later steps as they come back from JSON", () => {
    recorded.step("notify", {
      to: erp,
      request: ({ results }) => {
        expectTypeOf(results.createRecord).toEqualTypeOf<Recorded>();
        expectTypeOf(results.approve.by).toEqualTypeOf<string>();
        expectTypeOf(results.approve.form).toEqualTypeOf<{ validUntil: string }>();
        return null;
      },
      run: ({ results }) => {
        expectTypeOf(results.createRecord.recordId).toEqualTypeOf<string>();
      },
      check: ({ results }) => {
        expectTypeOf(results.createRecord.createdAt).toEqualTypeOf<string>();
        return didNotHappen();
      },
      requires: {
        "record stands": ({ results }) => {
          expectTypeOf(results.createRecord).toEqualTypeOf<Recorded>();
          return true;
        },
        "record is open": probe({
          of: erp,
          ask: async ({ results, signal }) => {
            expectTypeOf(results.createRecord).toEqualTypeOf<Recorded>();
            expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
            return Promise.resolve(holds());
          },
        }),
      },
    });
  });

  test("are there only of steps that come earlier", () => {
    approved.step("createRecord", {
      to: erp,
      run: ({ results }) => {
        expectTypeOf<keyof typeof results>().toEqualTypeOf<"approve">();
        // @ts-expect-error -- notify is no step yet
        void results.notify;
      },
    });
    start.step("first", {
      to: erp,
      run: ({ results }) => {
        expectTypeOf<keyof typeof results>().toEqualTypeOf<never>();
      },
    });
  });
});

describe("results in a graph", () => {
  test("are there only of steps that are followed, directly or through others", () => {
    recorded
      .step("archive", { to: erp, after: [], run: () => ({ box: 1 }) })
      .step("notify", {
        to: erp,
        after: ["createRecord"],
        run: ({ results }) => {
          expectTypeOf<keyof typeof results>().toEqualTypeOf<"approve" | "createRecord">();
          // @ts-expect-error -- archive runs beside it and may not be done yet
          void results.archive;
        },
      })
      .step("close", {
        to: erp,
        after: ["notify", "archive"],
        run: ({ results }) => {
          expectTypeOf<keyof typeof results>().toEqualTypeOf<
            "approve" | "createRecord" | "archive" | "notify"
          >();
        },
      });
  });
});

describe("the result", () => {
  test("of a step with a result schema is its output", () => {
    start
      .step("parse", {
        to: erp,
        run: async (): Promise<unknown> => Promise.resolve(JSON.parse("{}")),
        result: z.object({ id: z.string(), at: z.coerce.date() }),
      })
      .step("next", {
        to: erp,
        run: ({ results }) => {
          expectTypeOf(results.parse).toEqualTypeOf<{ id: string; at: string }>();
        },
      });
  });

  test("of an approval, a wait and a sleep is what they give", () => {
    start
      .approval("plain", { by: "finance" })
      .waitForEvent("paid", { event: "paid", timeout: "3d" })
      .sleep("rest", { for: "1h" })
      .step("next", {
        to: erp,
        run: ({ results }) => {
          expectTypeOf(results.plain).toEqualTypeOf<{ readonly by: string; readonly form: null }>();
          expectTypeOf(results.paid).toEqualTypeOf<{ cents: number }>();
          expectTypeOf(results.rest).toEqualTypeOf<null>();
        },
      });
  });

  test("that nobody typed is Json, and none is null", () => {
    start
      .step("fetchIt", { to: erp, run: async (): Promise<unknown> => Promise.resolve(1) })
      .step("sendIt", { to: erp, run: async () => Promise.resolve() })
      .step("next", {
        to: erp,
        run: ({ results }) => {
          expectTypeOf(results.fetchIt).toEqualTypeOf<Json>();
          expectTypeOf(results.sendIt).toEqualTypeOf<null>();
        },
      });
  });
});

describe("the result of a wait", () => {
  test("of the first of several events says which it was, and has its payload", () => {
    defineCase("order", {
      version: 1,
      owner: "me",
      input: z.object({}),
      events: { paid: z.object({ cents: z.number() }), refused: z.object({ why: z.string() }) },
    })
      .waitForEvent("answer", { event: ["paid", "refused"], timeout: "3d" })
      .step("next", {
        to: erp,
        run: ({ results: { answer } }) => {
          expectTypeOf(answer).toEqualTypeOf<
            | { readonly event: "paid"; readonly payload: { cents: number } }
            | { readonly event: "refused"; readonly payload: { why: string } }
          >();
          return answer.event === "paid" ? answer.payload.cents : answer.payload.why;
        },
      });
    // @ts-expect-error -- the case type takes no such event
    start.waitForEvent("wait", { event: ["paid", "payed"], timeout: "3d" });
  });

  test("of a poll is what it finds, or what its schema makes of that", () => {
    recorded
      .poll("settled", { of: erp, timeout: "3d", look: () => found({ cents: 3 }) })
      .poll("exported", {
        of: erp,
        timeout: "3d",
        look: ({ results }) => {
          expectTypeOf(results.settled).toEqualTypeOf<{ cents: number }>();
          return results.settled.cents === 0 ? notYet("it runs", { again: "5m" }) : found(new Date(0));
        },
        result: z.coerce.date(),
      })
      .step("next", {
        to: erp,
        run: ({ results }) => {
          expectTypeOf(results.exported).toEqualTypeOf<string>();
        },
      });
    // @ts-expect-error -- how a look went must be said
    recorded.poll("settled", { of: erp, timeout: "3d", look: () => 3 });
  });
});

describe("names", () => {
  test("given twice do not compile", () => {
    // @ts-expect-error -- the name is taken by a step
    recorded.step("createRecord", { to: erp, run: () => 1 });
    // @ts-expect-error -- the name is taken by a step
    recorded.sleep("createRecord", { for: "1s" });
    // @ts-expect-error -- the name is taken by an approval
    recorded.approval("approve", { by: "finance" });
    // @ts-expect-error -- the name is taken by an approval
    recorded.waitForEvent("approve", { event: "paid", timeout: "1s" });
  });

  test("in after must be those of earlier steps", () => {
    // @ts-expect-error -- there is no such step
    recorded.step("notify", { to: erp, after: ["createRecords"], run: () => 1 });
    // @ts-expect-error -- a step cannot follow itself
    recorded.step("notify", { to: erp, after: ["notify"], run: () => 1 });
    // @ts-expect-error -- there is no step before
    start.sleep("rest", { for: "1s", after: ["approve"] });
    recorded.step("notify", { to: erp, after: ["createRecord", "approve"], run: () => 1 });
  });

  test("in uses must be those of input fields", () => {
    recorded.step("notify", { to: erp, uses: ["vendor", "amount"], run: () => 1 });
    // @ts-expect-error -- the input has no such field
    recorded.step("notify", { to: erp, uses: ["vendors"], run: () => 1 });
  });

  test("of options that do not exist do not compile", () => {
    // @ts-expect-error -- a slip of the pen
    recorded.sleep("rest", { for: "1s", requries: {} });
    // @ts-expect-error -- not a duration
    recorded.sleep("rest", { for: "1 hour" });
  });
});

describe("a check", () => {
  test("gives what run returns", () => {
    approved.step("createRecord", {
      to: erp,
      run: async () => Promise.resolve({ recordId: "R-1" }),
      check: async ({ idempotencyKey }) => {
        if (idempotencyKey === "") return didNotHappen();
        return Promise.resolve(happened({ recordId: idempotencyKey }, { raw: 1 }));
      },
    });
    approved.step("createRecord", {
      to: erp,
      run: () => ({ recordId: "R-1" }),
      check: () => (start === undefined ? cannotTell("it is down") : happened({ recordId: "R-1" })),
    });
  });

  test("whose result differs from it does not compile", () => {
    approved.step("createRecord", {
      to: erp,
      run: async () => Promise.resolve({ recordId: "R-1" }),
      // @ts-expect-error -- another field
      check: async () => Promise.resolve(happened({ id: "R-1" })),
    });
    approved.step("createRecord", {
      to: erp,
      run: () => ({ recordId: "R-1" }),
      // @ts-expect-error -- another type
      check: () => happened({ recordId: 1 }),
    });
    approved.step("createRecord", {
      to: erp,
      // @ts-expect-error -- also where the check is written first
      check: () => happened({ recordId: 1 }),
      run: () => ({ recordId: "R-1" }),
    });
    // @ts-expect-error -- no answer at all
    approved.step("createRecord", { to: erp, run: () => 1, check: async () => Promise.resolve() });
  });
});

describe("the input", () => {
  test("is the schema's output as JSON, with defaults applied", () => {
    start.step("send", {
      to: erp,
      request: ({ input }) => {
        expectTypeOf(input).toEqualTypeOf<{ vendor: string; amount: number; due: string }>();
        return null;
      },
      run: () => null,
    });
  });

  test("of a start is the schema's input", () => {
    type StartInput = NonNullable<typeof recorded.__input>;
    expectTypeOf<StartInput>().toEqualTypeOf<{ vendor: string; amount?: number | undefined; due: unknown }>();
    expectTypeOf(recorded).toExtend<CaseType>();
    expectTypeOf(recorded).not.toExtend<CaseType<{ vendor: number }>>();
  });

  test("may be of any schema library", () => {
    const head = { version: 1, owner: "purchasing" };
    const valibot = defineCase("a", { ...head, input: v.object({ vendor: v.optional(v.string(), "Ruiz") }) });
    const arktype = defineCase("a", { ...head, input: type({ vendor: "string = 'Ruiz'" }) });
    valibot.step("send", { to: erp, run: ({ input }) => input.vendor.length });
    arktype.step("send", { to: erp, run: ({ input }) => input.vendor.length });
    expectTypeOf<NonNullable<typeof valibot.__input>>().toEqualTypeOf<{ vendor?: string | undefined }>();
    expectTypeOf<NonNullable<typeof arktype.__input>>().toEqualTypeOf<{ vendor?: string }>();
  });
});

describe("events", () => {
  test("have the payload of their schema, as JSON", () => {
    approved.step("send", {
      to: erp,
      run: () => null,
      requires: {
        "still approved": ({ events }) => {
          const revoked = events.latest("approval.revoked", { after: "approve" });
          expectTypeOf(revoked).toExtend<{
            payload: { reason: string; at: string };
            sourceId: string;
          } | null>();
          expectTypeOf(events.all("paid")[0]?.payload).toEqualTypeOf<{ cents: number } | undefined>();
          return revoked === null || broken(revoked.payload.reason);
        },
      },
    });
  });

  test("of unknown types, and after steps that are not followed, do not compile", () => {
    approved.step("send", {
      to: erp,
      run: () => null,
      requires: {
        // @ts-expect-error -- the case type takes no such event
        revoked: ({ events }) => events.latest("approval.revokd") === null,
        // @ts-expect-error -- there is no such step
        paid: ({ events }) => events.latest("paid", { after: "aprove" }) === null,
        // later than its own confirmation is fine
        settled: ({ events }) => events.latest("paid", { after: "send" }) === null,
      },
    });
    // @ts-expect-error -- the case type takes no such event
    approved.waitForEvent("wait", { event: "payed", timeout: "3d" });
    const without = defineCase("quiet", { version: 1, owner: "me", input: z.object({}) });
    // @ts-expect-error -- the case type takes no events
    without.waitForEvent("wait", { event: "paid", timeout: "3d" });
  });
});

describe("a condition", () => {
  test("answers now, or is a probe", () => {
    // @ts-expect-error -- a fact is synchronous
    approved.sleep("rest", { for: 1, requires: { open: async () => Promise.resolve(true) } });
    // @ts-expect-error -- a forgotten return
    approved.sleep("rest", { for: 1, requires: { open: () => undefined } });
    // @ts-expect-error -- an event is not an answer
    approved.sleep("rest", { for: 1, requires: { open: ({ events }) => events.latest("paid") } });
    approved.sleep("rest", { for: 1, requires: { open: () => cannotTell("who knows") } });
  });

  test("that asks outside can be shared between steps and case types", () => {
    const open = probe<JsonScope>({ of: erp, ask: ({ caseId }) => caseId !== "" });
    approved
      .step("send", { to: erp, run: () => 1, before: { open } })
      .sleep("rest", { for: 1, requires: { open } });
    const alsoOpen = probe({ of: erp, ask: () => true });
    start.sleep("rest", { for: 1, requires: { alsoOpen } });
  });
});

describe("a request", () => {
  test("reaches run and check as it comes back from the journal", () => {
    approved.step("send", {
      to: erp,
      request: ({ input }) => ({ vendor: input.vendor, at: new Date(0), note: undefined }),
      run: ({ request }) => {
        expectTypeOf(request.vendor).toEqualTypeOf<string>();
        expectTypeOf(request.at).toEqualTypeOf<string>();
      },
      check: ({ request }) => {
        expectTypeOf(request.at).toEqualTypeOf<string>();
        return didNotHappen();
      },
    });
  });

  test("that is not there is undefined", () => {
    approved.step("send", {
      to: erp,
      run: ({ request, idempotencyKey, fencingToken, attempt, caseId, signal }) => {
        expectTypeOf(request).toEqualTypeOf<undefined>();
        expectTypeOf([idempotencyKey, caseId]).toEqualTypeOf<string[]>();
        expectTypeOf([fencingToken, attempt]).toEqualTypeOf<number[]>();
        expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
      },
    });
  });
});

describe("steps made in a loop", () => {
  const names: readonly string[] = ["one", "two"];

  test("are typed alike, and every result may be missing", () => {
    let made = start.step(names[0] ?? "", { to: erp, run: () => ({ id: "R" }) });
    for (const name of names.slice(1)) {
      made = made.step(name, {
        to: erp,
        run: ({ results }) => {
          expectTypeOf(results["one"]).toEqualTypeOf<{ id: string } | undefined>();
          return { id: "R" };
        },
      });
    }
    expectTypeOf(made).toExtend<CaseType>();
  });

  test("can begin with a step that is named", () => {
    const made = names.reduce(
      (all, name) => all.sleep(name, { for: "1s" }),
      start.sleep(names[0] ?? "", { for: 1 }),
    );
    expectTypeOf(made).toExtend<CaseType>();
  });
});

test("a destination must say what makes a repeat safe", () => {
  // @ts-expect-error -- it does not
  defineDestination("erp", {});
  // @ts-expect-error -- a key is good for some time only
  defineDestination("erp", { idempotency: { by: "key" } });
  // @ts-expect-error -- only a key has a window
  defineDestination("erp", { idempotency: { by: "none", window: "1h" } });
  // @ts-expect-error -- a destination is no name
  start.step("send", { to: "erp", run: () => 1 });
});
