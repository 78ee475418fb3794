import { describe, expect, test } from "vitest";
import type { NewPerson, NewToken, PeopleStore } from "../../../src/store/people-port.ts";
import { VIEWS_MAX } from "../../../src/store/people-port.ts";
import { newId } from "../made-cases.ts";
import type { Bench } from "./contract.ts";

const HOUR_MS = 3_600_000;

function person(name: string, wishes: Partial<NewPerson> = {}): NewPerson {
  return { personId: newId(), name, passwordHash: "h", roles: ["viewer"], ...wishes };
}

function token(personId: string, wishes: Partial<NewToken> = {}): NewToken {
  return {
    tokenId: newId(),
    tokenHash: newId(),
    label: "ci",
    personId,
    scopes: null,
    lastsMs: null,
    ...wishes,
  };
}

/** A session of ada. */
async function opened(
  people: PeopleStore,
  wishes: { readonly idleMs?: number; readonly lastsMs?: number } = {},
): Promise<string> {
  const ada = person("ada");
  await people.addPerson(ada);
  const sessionHash = newId();
  const session = { sessionHash, personId: ada.personId, idleMs: HOUR_MS, lastsMs: HOUR_MS, ...wishes };
  await people.openSession(session);
  return sessionHash;
}

export function testPeople(bench: Bench): void {
  const people = (): PeopleStore => bench.store.people;

  test("sessions of a person are listed while they last, the one used last first, and nobody else's", async () => {
    const ada = person("ada");
    const ben = person("ben");
    for (const one of [ada, ben]) await people().addPerson(one);
    const open = async (
      personId: string,
      wishes: { idleMs?: number; lastsMs?: number } = {},
    ): Promise<string> => {
      const sessionHash = newId();
      await people().openSession({ sessionHash, personId, idleMs: HOUR_MS, lastsMs: 2 * HOUR_MS, ...wishes });
      return sessionHash;
    };
    const first = await open(ada.personId);
    await open(ada.personId, { idleMs: 0 });
    await open(ada.personId, { lastsMs: 0 });
    await open(ben.personId);
    const second = await open(ada.personId);
    await people().useSession(first, true);
    const listed = await people().listSessions(ada.personId);
    expect(new Set(listed.map(({ sessionHash }) => sessionHash))).toEqual(new Set([first, second]));
    const [latest] = listed;
    expect((latest?.endsAt ?? 0) - (latest?.usedAt ?? 0)).toBe(HOUR_MS);
    expect(listed.map(({ usedAt }) => usedAt)).toEqual(
      listed.map(({ usedAt }) => usedAt).toSorted((one, other) => other - one),
    );
  });

  describe("saved views", () => {
    test("are each person's own, by name, and one of a known name is replaced", async () => {
      const [ada, ben] = [newId(), newId()];
      for (const name of ["late", "Mine", "a"])
        expect(await people().saveView(ada, { name, query: name })).toBe(true);
      expect(await people().saveView(ada, { name: "late", query: "overdue=true" })).toBe(true);
      const kept = [
        { name: "Mine", query: "Mine" },
        { name: "a", query: "a" },
        { name: "late", query: "overdue=true" },
      ];
      expect(await people().listViews(ada)).toEqual(kept);
      expect(await people().listViews(ben)).toEqual([]);
      expect(await people().removeView(ben, "late")).toBe(false);
      expect(await people().removeView(ada, "a")).toBe(true);
      expect(await people().removeView(ada, "a")).toBe(false);
      expect(await people().listViews(ada)).toEqual(kept.filter(({ name }) => name !== "a"));
    });

    test("are no more than a person may keep, and one more only in place of another", async () => {
      const ada = newId();
      for (let view = 0; view < VIEWS_MAX; view += 1)
        await people().saveView(ada, { name: `${view}`, query: "x" });
      expect(await people().saveView(ada, { name: "one more", query: "x" })).toBe(false);
      expect(await people().saveView(ada, { name: "7", query: "y" })).toBe(true);
      expect(await people().listViews(ada)).toHaveLength(VIEWS_MAX);
      expect(await people().saveView(newId(), { name: "one more", query: "x" })).toBe(true);
    });
  });

  describe("people", () => {
    test("have names of their own, and are read back as they were added", async () => {
      const ada = person("ada", { roles: ["operator", "approver"], passwordHash: null });
      expect(await people().addPerson(ada)).toBe(true);
      expect(await people().addPerson(person("ada"))).toBe(false);
      await people().addPerson(person("Ada"));
      expect(await people().findPerson("ada")).toMatchObject({ ...ada, disabledAt: null });
      expect(await people().findPerson("eve")).toBeNull();
      expect(await people().loadPerson(ada.personId)).toMatchObject({ ...ada, disabledAt: null });
      expect(await people().loadPerson("ada")).toBeNull();
      expect((await people().listPeople()).map(({ name }) => name)).toEqual(["Ada", "ada"]);
    });

    test("are changed in what is named, and in nothing else", async () => {
      await people().addPerson(person("ada"));
      expect(await people().changePerson("ada", { roles: ["admin"] })).toBe(true);
      expect(await people().changePerson("ada", { passwordHash: "new" })).toBe(true);
      expect(await people().findPerson("ada")).toMatchObject({ roles: ["admin"], passwordHash: "new" });
      await people().changePerson("ada", { isDisabled: true });
      expect((await people().findPerson("ada"))?.disabledAt).not.toBeNull();
      await people().changePerson("ada", { isDisabled: false });
      expect((await people().findPerson("ada"))?.disabledAt).toBeNull();
      expect(await people().changePerson("eve", { roles: [] })).toBe(false);
    });
  });

  describe("sessions", () => {
    test("tell whose they are until they are ended", async () => {
      const hash = await opened(people());
      expect(await people().useSession(hash, true)).toMatchObject({ name: "ada" });
      await people().endSession(hash);
      await people().endSession(hash);
      expect(await people().useSession(hash, true)).toBeNull();
      expect(await people().useSession("never opened", true)).toBeNull();
    });

    test.each([{ idleMs: 0 }, { lastsMs: 0 }])("end by themselves: %j", async (wishes) => {
      expect(await people().useSession(await opened(people(), wishes), true)).toBeNull();
      expect(await people().forgetOver()).toBe(1);
      expect(await people().forgetOver()).toBe(0);
    });

    test("are not kept from ending by a page that only waits", async () => {
      const hash = await opened(people(), { idleMs: 60_000 });
      expect(await people().useSession(hash, false)).toMatchObject({ name: "ada" });
      const short = newId();
      const ada = await people().findPerson("ada");
      const session = { sessionHash: short, personId: ada?.personId ?? "", idleMs: 0, lastsMs: HOUR_MS };
      await people().openSession(session);
      expect(await people().useSession(short, false)).toBeNull();
    });

    test.each([{ isDisabled: true }, { roles: ["admin"] }, { passwordHash: "new" }])(
      "end at once when their person is changed: %j",
      async (change) => {
        const hash = await opened(people());
        await people().changePerson("ada", change);
        expect(await people().useSession(hash, true)).toBeNull();
      },
    );
  });

  describe("tokens", () => {
    test("tell whose they are until they are revoked, once", async () => {
      const ada = person("ada");
      await people().addPerson(ada);
      const made = token(ada.personId, { scopes: ["see"] });
      await people().addToken(made);
      expect(await people().useToken(made.tokenHash)).toMatchObject({
        token: { tokenId: made.tokenId, scopes: ["see"], personName: "ada", endsAt: null },
        person: { name: "ada", roles: ["viewer"] },
      });
      expect(await people().listTokens()).toMatchObject([{ tokenId: made.tokenId, revokedAt: null }]);
      expect(await people().revokeToken(made.tokenId)).toBe(true);
      expect(await people().revokeToken(made.tokenId)).toBe(false);
      expect(await people().useToken(made.tokenHash)).toBeNull();
      expect((await people().listTokens())[0]?.revokedAt).not.toBeNull();
    });

    test("are good for nothing once they end or their person is disabled", async () => {
      const ada = person("ada");
      await people().addPerson(ada);
      const short = token(ada.personId, { lastsMs: 0 });
      const long = token(ada.personId, { lastsMs: HOUR_MS });
      await people().addToken(short);
      await people().addToken(long);
      expect(await people().useToken(short.tokenHash)).toBeNull();
      expect(await people().useToken(long.tokenHash)).not.toBeNull();
      await people().changePerson("ada", { isDisabled: true });
      expect(await people().useToken(long.tokenHash)).toBeNull();
      expect(await people().useToken("never made")).toBeNull();
    });
  });

  describe("failed tries to sign in", () => {
    test("are counted within a window, which the first one begins", async () => {
      expect(await people().readFailures("k")).toBeNull();
      const first = await people().noteFailure("k", HOUR_MS);
      const second = await people().noteFailure("k", 2 * HOUR_MS);
      expect([first.failures, second.failures]).toEqual([1, 2]);
      expect(second.endsAt).toBe(first.endsAt);
      expect(await people().readFailures("k")).toEqual(second);
      await people().takeBackFailure("k");
      expect(await people().readFailures("k")).toEqual({ ...second, failures: 1 });
      await people().clearFailures("k");
      expect(await people().readFailures("k")).toBeNull();
      await people().takeBackFailure("k");
      expect(await people().readFailures("k")).toBeNull();
    });

    test("that came at the same time are all counted", async () => {
      const noted = await Promise.all(Array.from({ length: 20 }, () => people().noteFailure("k", HOUR_MS)));
      expect(noted.map(({ failures }) => failures).toSorted((a, b) => a - b)).toEqual(
        Array.from({ length: 20 }, (_, index) => index + 1),
      );
    });

    test("are forgotten when their window is over", async () => {
      await people().noteFailure("k", 0);
      expect(await people().readFailures("k")).toBeNull();
      expect(await people().noteFailure("k", HOUR_MS)).toMatchObject({ failures: 1 });
      await people().noteFailure("other", 0);
      expect(await people().forgetOver()).toBe(1);
      expect(await people().readFailures("k")).toMatchObject({ failures: 1 });
    });
  });
}
