import { describe, expect, it } from "vitest";
import { failure, MINUTE, SECOND, START } from "./case.fixture.ts";
import type { RefreshAnswer } from "./journal.ts";
import {
  endTurn,
  forgetRefresh,
  mayRefreshAgain,
  REST_MS,
  REST_TRANSIENT_MS,
  takeTurn,
  TURN_MS,
  type CredentialState,
} from "./refresh.ts";

const credentialId = "erp-account";
const asked = { credentialId, turnId: "a", usedAt: START };
const worked: RefreshAnswer = { kind: "refreshed" };
const failed = (over: Parameters<typeof failure>[0] = {}): RefreshAnswer => ({
  kind: "failed",
  failure: failure(over),
});

/** The state after a refresh by `a` that ended one second after START. */
function ended(answer: RefreshAnswer): CredentialState {
  const { state } = takeTurn(null, asked, START);
  const after = endTurn(state, "a", answer, START + SECOND);
  if (after === null) throw new Error("it was not its turn");
  return after;
}
const other = { credentialId, turnId: "b" };
const kindAt = (state: CredentialState, usedAt: number, now: number): string => {
  const { reply } = takeTurn(state, { ...other, usedAt }, now);
  return reply.kind === "known" ? reply.answer.kind : reply.kind;
};

const wait = (delayMs: number): CredentialState =>
  ended(failed({ cause: "throttled", instruction: { kind: "retryAfter", delayMs, source: "retry-after" } }));

describe("the right to refresh a credential", () => {
  it("goes to the first who asks, and asked again after a lost reply it is the same one", () => {
    const { state, reply } = takeTurn(null, asked, START);
    expect(reply).toEqual({ kind: "yours" });
    expect(state).toEqual({ turn: { turnId: "a", untilAt: START + TURN_MS }, last: null });
    expect(takeTurn(state, asked, START + SECOND)).toEqual({ state: null, reply: { kind: "yours" } });
  });

  it("goes to nobody else until it was given back, or was kept too long", () => {
    const { state } = takeTurn(null, asked, START);
    if (state === null) throw new Error("no turn");
    expect(kindAt(state, START, START + TURN_MS - 1)).toBe("underWay");
    expect(kindAt(state, START, START + TURN_MS)).toBe("yours");
  });

  it("is not given to one whose token was refused before the last refresh, however long ago that was", () => {
    expect(kindAt(ended(worked), START, START + 2 * SECOND)).toBe("refreshed");
    expect(kindAt(ended(worked), START + SECOND, START + MINUTE * 60)).toBe("refreshed");
  });

  it("is not given within a minute of a refresh: what is refused all the same is a matter for people", () => {
    const state = ended(worked);
    const { reply } = takeTurn(state, { ...other, usedAt: START + 2 * SECOND }, START + 3 * SECOND);
    expect(reply).toMatchObject({
      kind: "known",
      answer: { kind: "failed", failure: { kind: "denied", access: "revoked", executed: "no" } },
    });
    expect(kindAt(state, START + 2 * SECOND, START + SECOND + REST_MS)).toBe("yours");
  });

  it("is not given while a refresh that failed rests, and what it met is told instead", () => {
    const dead = ended(failed({ cause: "denied", access: "revoked" }));
    expect(kindAt(dead, START, START + 2 * SECOND)).toBe("failed");
    expect(kindAt(dead, START + MINUTE, START + SECOND + REST_MS)).toBe("yours");
    const down = ended(failed({ cause: "transient" }));
    expect(kindAt(down, START, START + SECOND + REST_TRANSIENT_MS - 1)).toBe("failed");
    expect(kindAt(down, START, START + SECOND + REST_TRANSIENT_MS)).toBe("yours");
  });

  it("rests as long as the token endpoint asked for, a quarter of an hour at most", () => {
    expect(wait(MINUTE).last?.restUntilAt).toBe(START + SECOND + MINUTE);
    expect(wait(60 * MINUTE).last?.restUntilAt).toBe(START + SECOND + 15 * MINUTE);
  });

  it("that was lost meanwhile changes nothing when it ends", () => {
    const first = takeTurn(null, asked, START).state;
    const second = takeTurn(first, { ...other, usedAt: START }, START + TURN_MS).state;
    expect(endTurn(second, "a", worked, START + TURN_MS + 1)).toBeNull();
    expect(endTurn(null, "a", worked, START)).toBeNull();
    expect(endTurn(second, "b", worked, START + TURN_MS + 1)).toMatchObject({ turn: null });
  });

  it("is there at once when a person says that the access is good again", () => {
    const forgotten = forgetRefresh(ended(failed({ cause: "denied" })));
    expect(forgotten).toEqual({ turn: null, last: null });
    expect(forgetRefresh(forgotten)).toBeNull();
    expect(forgetRefresh(null)).toBeNull();
  });
});

it("only what may pass by itself is tried again", () => {
  const again = (
    ["transient", "throttled", "stopped", "denied", "quota", "rejected", "bug", "gone"] as const
  ).filter((cause) => mayRefreshAgain(failure({ cause })));
  expect(again).toEqual(["transient", "throttled", "stopped"]);
});
