import { describe, expect, test } from "vitest";
import { examineNode, examineServer, type ServerFacts } from "./database.ts";

const sound: ServerFacts = {
  version: "18.0",
  versionNumber: 180_000,
  maxConnections: 100,
  reservedConnections: 3,
  roleLimit: -1,
  databaseLimit: -1,
  fsync: true,
  fullPageWrites: true,
  synchronousCommit: "on",
  isReadOnly: false,
  isPooled: false,
  skewMs: 0,
};
const use = { processes: 8, connectionsEach: 11, hasDirectUrl: false };
const codes = (over: Partial<ServerFacts>, processes = 8): readonly string[] =>
  examineServer({ ...sound, ...over }, { ...use, processes }).map(({ code }) => code);

describe("a database", () => {
  test.each<[string, Partial<ServerFacts>, readonly string[]]>([
    ["that is as it should be", {}, []],
    ["of an old version", { versionNumber: 140_009 }, ["DATABASE_VERSION"]],
    ["that is a standby", { isReadOnly: true }, ["READ_ONLY"]],
    [
      "that does not wait for its disk",
      { fsync: false, fullPageWrites: false },
      ["FSYNC_OFF", "FULL_PAGE_WRITES_OFF"],
    ],
    ["that answers before it has stored", { synchronousCommit: "off" }, ["SYNCHRONOUS_COMMIT_OFF"]],
    ["that has stored it on its own disk", { synchronousCommit: "local" }, []],
    ["whose clock is behind", { skewMs: -2_001 }, ["CLOCK_SKEW"]],
    ["whose clock is a little ahead", { skewMs: 2_000 }, []],
    ["whose role may open few connections", { roleLimit: 87 }, ["CONNECTIONS_SHORT"]],
    ["behind a pooler", { isPooled: true, databaseLimit: 4 }, ["POOLED"]],
    ["with just enough connections", { databaseLimit: 88 }, []],
  ])("%s", (_, over, found) => {
    expect(codes(over)).toEqual(found);
  });

  test("behind a pooler, with hints over a connection of their own, is as it should be", () => {
    expect(examineServer({ ...sound, isPooled: true }, { ...use, hasDirectUrl: true })).toEqual([]);
  });

  test("with too few connections for what runs is told in numbers", () => {
    expect(codes({}, 9)).toEqual(["CONNECTIONS_SHORT"]);
    expect(examineServer(sound, { ...use, processes: 9 })[0]?.sentence).toBe(
      "9 processes need up to 99 connections (11 each), and the database allows 97.",
    );
  });
});

describe("Node.js", () => {
  test.each([
    ["v20.18.3", ["NODE_TOO_OLD"]],
    ["v18.20.0", ["NODE_TOO_OLD"]],
    ["v20.19.0", ["NODE_END_OF_LIFE"]],
    ["v22.1.0", []],
    ["v24.0.0", []],
  ])("%s", (version, found) => {
    expect(examineNode(version).map(({ code }) => code)).toEqual(found);
  });
});
