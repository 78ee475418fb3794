import { describe, expect, test } from "vitest";
import { newDelivery } from "../../test/inbox/made-deliveries.ts";
import { FootholdError } from "../core/errors.ts";
import { systemPorts } from "../engine/system.ts";
import { memoryStore } from "../store/memory/store.ts";
import { Intake } from "./intake.ts";

describe("deliveries that wait together", () => {
  const { clock } = systemPorts();

  test("are all asked to come again at once while the database is away, not one after another", async () => {
    const sizes: number[] = [];
    const intake = new Intake(
      {
        ...memoryStore().inbox,
        takeIn: (batch) => {
          sizes.push(batch.length);
          return Promise.reject(new FootholdError("DATABASE_UNAVAILABLE", "It does not answer."));
        },
      },
      clock,
    );
    const taken = await Promise.allSettled(Array.from({ length: 40 }, () => intake.take(newDelivery())));
    expect(taken.every(({ status }) => status === "rejected")).toBe(true);
    // The first goes alone, the others together, and once more in case it was their connection alone.
    expect(sizes.length).toBeLessThanOrEqual(6);
  });

  test("are taken in when only a connection broke", async () => {
    const { inbox } = memoryStore();
    let isBroken = true;
    const intake = new Intake(
      {
        ...inbox,
        takeIn: (batch) => {
          if (batch.length === 1 || !isBroken) return inbox.takeIn(batch);
          isBroken = false;
          return Promise.reject(new FootholdError("DATABASE_UNAVAILABLE", "The connection broke."));
        },
      },
      clock,
    );
    const taken = await Promise.all(Array.from({ length: 40 }, () => intake.take(newDelivery())));
    expect(isBroken).toBe(false);
    expect(taken.every(([one]) => one?.isNew)).toBe(true);
  });

  test("do not fail with one that the database refuses", async () => {
    const { inbox } = memoryStore();
    const refused = newDelivery();
    const intake = new Intake(
      {
        ...inbox,
        takeIn: (batch) =>
          batch.some(({ deliveryId }) => deliveryId === refused.deliveryId)
            ? Promise.reject(new FootholdError("INVALID_REQUEST", "It cannot be stored."))
            : inbox.takeIn(batch),
      },
      clock,
    );
    const deliveries = [newDelivery(), newDelivery(), refused, newDelivery()];
    const taken = await Promise.allSettled(deliveries.map((one) => intake.take(one)));
    expect(taken.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "fulfilled"]);
  });
});
