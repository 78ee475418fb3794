import { describe, expect, test } from "vitest";
import { COMPANY_MAX, type Company } from "../core/company.ts";
import { AttemptGate, OpenAttempts, type LeaveGate } from "./attempt-gate.ts";
import { settle } from "./manual-clock.fixture.ts";

/** Asks for the gate and notes when it was entered. */
function ask(gate: AttemptGate, company: Company): { leave: LeaveGate | null } {
  const asked: { leave: LeaveGate | null } = { leave: null };
  void gate.enter(company).then((leave) => (asked.leave = leave));
  return asked;
}

function entered(leave: LeaveGate | null): LeaveGate {
  if (leave === null) throw new Error("the gate did not let it in");
  return leave;
}

describe("the attempt gate", () => {
  test("lets ordinary attempts in side by side, at once", () => {
    const gate = new AttemptGate();
    expect(gate.tryEnter("any")).not.toBeNull();
    expect(gate.tryEnter("any")).not.toBeNull();
  });

  test("opens an attempt that must be alone only when no other one is open", async () => {
    const gate = new AttemptGate();
    const first = entered(gate.tryEnter("any"));
    const second = entered(gate.tryEnter("any"));
    expect(gate.tryEnter("none")).toBeNull();
    const lone = ask(gate, "none");
    first();
    await settle();
    expect(lone.leave).toBeNull();
    second();
    await settle();
    expect(lone.leave).not.toBeNull();
  });

  test("opens no other attempt beside one that must be alone", async () => {
    const gate = new AttemptGate();
    const lone = entered(gate.tryEnter("none"));
    expect(gate.tryEnter("any")).toBeNull();
    expect(gate.tryEnter("none")).toBeNull();
    const [ordinary, other] = [ask(gate, "any"), ask(gate, "any")];
    await settle();
    expect(ordinary.leave).toBeNull();
    lone();
    await settle();
    expect(ordinary.leave).not.toBeNull();
    expect(other.leave).not.toBeNull();
  });

  test("opens attempts after one loss side by side, so many at most and no others beside them", async () => {
    const gate = new AttemptGate();
    const open = Array.from({ length: COMPANY_MAX }, () => entered(gate.tryEnter("lost")));
    expect(gate.tryEnter("lost")).toBeNull();
    expect(gate.tryEnter("any")).toBeNull();
    const [next, ordinary] = [ask(gate, "lost"), ask(gate, "any")];
    await settle();
    expect(next.leave).toBeNull();
    open[0]?.();
    await settle();
    expect(next.leave).not.toBeNull();
    for (const leave of [...open, entered(next.leave)]) leave();
    await settle();
    expect(ordinary.leave).not.toBeNull();
  });

  test("lets nobody overtake a case that has to be alone, so a steady load does not keep it out", async () => {
    const gate = new AttemptGate();
    const open = entered(gate.tryEnter("any"));
    const lone = ask(gate, "none");
    expect(gate.tryEnter("any")).toBeNull();
    const later = ask(gate, "any");
    open();
    await settle();
    expect(lone.leave).not.toBeNull();
    expect(later.leave).toBeNull();
    entered(lone.leave)();
    await settle();
    expect(later.leave).not.toBeNull();
  });

  test("counts an attempt that leaves twice once", async () => {
    const gate = new AttemptGate();
    const first = entered(gate.tryEnter("any"));
    entered(gate.tryEnter("any"));
    const lone = ask(gate, "none");
    first();
    first();
    await settle();
    expect(lone.leave).toBeNull();
  });
});

/** A gate with one attempt open. */
function opened(): { readonly gate: AttemptGate; readonly attempts: OpenAttempts } {
  const [gate, attempts] = [new AttemptGate(), new OpenAttempts()];
  attempts.open("send", entered(gate.tryEnter("any")));
  return { gate, attempts };
}

describe("an open attempt", () => {
  test("keeps others out until its outcome is stored", () => {
    const { gate, attempts } = opened();
    attempts.sent("send");
    expect(gate.tryEnter("none")).toBeNull();
    attempts.stored("send");
    expect(gate.tryEnter("none")).not.toBeNull();
    attempts.sent("send");
    attempts.stored("send");
  });

  test("whose outcome nobody will store keeps others out until its send has ended", () => {
    const { gate, attempts } = opened();
    attempts.end();
    expect(gate.tryEnter("none")).toBeNull();
    attempts.sent("send");
    expect(gate.tryEnter("none")).not.toBeNull();
    const other = opened();
    other.attempts.sent("send");
    other.attempts.end();
    expect(other.gate.tryEnter("none")).not.toBeNull();
  });
});
