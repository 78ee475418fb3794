import { expect, test } from "vitest";
import { systemPorts } from "../engine/system.ts";
import { SHARD_COUNT } from "../store/port.ts";
import { shardFor } from "./start.ts";

const { digest, random } = systemPorts();
const named = { tenant: "default", caseType: "purchase" };

test("the shard of a business key is computed the same way for good: a case started long ago must be found", () => {
  const shards = ["PO-1", "PO-2", "Ä/ß"].map((businessKey) =>
    shardFor({ digest, random }, { ...named, businessKey }),
  );
  expect(shards).toEqual([16, 30, 2]);
});

test("tenant, type and key are told apart, wherever one ends and the next begins", () => {
  const all = [
    { tenant: "ab", caseType: "c", businessKey: "d" },
    { tenant: "a", caseType: "bc", businessKey: "d" },
    { tenant: "a", caseType: "b", businessKey: "cd" },
  ];
  const texts: string[] = [];
  const remember = (text: string): string => {
    texts.push(text);
    return digest(text);
  };
  for (const one of all) shardFor({ digest: remember, random }, one);
  expect(new Set(texts).size).toBe(all.length);
});

test("business keys spread over every shard, and cases without one do too", () => {
  const keyed = Array.from({ length: 2_000 }, (_, index) =>
    shardFor({ digest, random }, { ...named, businessKey: `PO-${index}` }),
  );
  const free = Array.from({ length: 2_000 }, () =>
    shardFor({ digest, random }, { ...named, businessKey: null }),
  );
  for (const shards of [keyed, free]) {
    expect(new Set(shards).size).toBe(SHARD_COUNT);
    expect(Math.min(...shards)).toBe(0);
    expect(Math.max(...shards)).toBe(SHARD_COUNT - 1);
  }
});

test("the largest random number there is still gives a shard", () => {
  const shard = shardFor({ digest, random: () => 1 - Number.EPSILON / 2 }, { ...named, businessKey: null });
  expect(shard).toBe(SHARD_COUNT - 1);
});
