import { describe, expect, test } from "vitest";
import { AttemptGate, OpenAttempts, type LeaveGate } from "./attempt-gate.ts";
import { settle } from "./manual-clock.fixture.ts";

/** Asks for the gate and notes when it was entered. */
function ask(gate: AttemptGate, alone: boolean): { leave: LeaveGate | null } {
  const asked: { leave: LeaveGate | null } = { leave: null };
  void gate.enter(alone).then((leave) => (asked.leave = leave));
  return asked;
}

function entered(leave: LeaveGate | null): LeaveGate {
  if (leave === null) throw new Error("the gate did not let it in");
  return leave;
}

describe("the attempt gate", () => {
  test("lets ordinary attempts in side by side, at once", () => {
    const gate = new AttemptGate();
    expect(gate.tryEnter(false)).not.toBeNull();
    expect(gate.tryEnter(false)).not.toBeNull();
  });

  test("opens an attempt after a loss only when no other one is open", async () => {
    const gate = new AttemptGate();
    const first = entered(gate.tryEnter(false));
    const second = entered(gate.tryEnter(false));
    expect(gate.tryEnter(true)).toBeNull();
    const lone = ask(gate, true);
    first();
    await settle();
    expect(lone.leave).toBeNull();
    second();
    await settle();
    expect(lone.leave).not.toBeNull();
  });

  test("opens no other attempt beside one after a loss", async () => {
    const gate = new AttemptGate();
    const lone = entered(gate.tryEnter(true));
    expect(gate.tryEnter(false)).toBeNull();
    expect(gate.tryEnter(true)).toBeNull();
    const [ordinary, other] = [ask(gate, false), ask(gate, false)];
    await settle();
    expect(ordinary.leave).toBeNull();
    lone();
    await settle();
    expect(ordinary.leave).not.toBeNull();
    expect(other.leave).not.toBeNull();
  });

  test("lets nobody overtake a case that has to be alone, so a steady load does not keep it out", async () => {
    const gate = new AttemptGate();
    const open = entered(gate.tryEnter(false));
    const lone = ask(gate, true);
    expect(gate.tryEnter(false)).toBeNull();
    const later = ask(gate, false);
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
    const first = entered(gate.tryEnter(false));
    entered(gate.tryEnter(false));
    const lone = ask(gate, true);
    first();
    first();
    await settle();
    expect(lone.leave).toBeNull();
  });
});

/** A gate with one attempt open. */
function opened(): { readonly gate: AttemptGate; readonly attempts: OpenAttempts } {
  const [gate, attempts] = [new AttemptGate(), new OpenAttempts()];
  attempts.open("send", entered(gate.tryEnter(false)));
  return { gate, attempts };
}

describe("an open attempt", () => {
  test("keeps others out until its outcome is stored", () => {
    const { gate, attempts } = opened();
    attempts.sent("send");
    expect(gate.tryEnter(true)).toBeNull();
    attempts.stored("send");
    expect(gate.tryEnter(true)).not.toBeNull();
    attempts.sent("send");
    attempts.stored("send");
  });

  test("whose outcome nobody will store keeps others out until its send has ended", () => {
    const { gate, attempts } = opened();
    attempts.end();
    expect(gate.tryEnter(true)).toBeNull();
    attempts.sent("send");
    expect(gate.tryEnter(true)).not.toBeNull();
    const other = opened();
    other.attempts.sent("send");
    other.attempts.end();
    expect(other.gate.tryEnter(true)).not.toBeNull();
  });
});
