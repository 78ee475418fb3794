import { describe, expect, test } from "vitest";
import { clientOf, IOREDIS, KNOWN_CLIENTS, settingOf } from "./clients.ts";

const recognize = (headers: Readonly<Record<string, string>>): string | null =>
  clientOf((name) => headers[name] ?? null);

describe("the clients that are known", () => {
  test("each have a setting, a version, a day on which they were looked at, and a name of their own", () => {
    const incomplete = KNOWN_CLIENTS.filter(
      ({ name, setting, version, checkedOn, signs }) =>
        setting === "" ||
        !/\d+\.\d+\.\d+/.test(version) ||
        !/^\d{4}-\d\d-\d\d$/.test(checkedOn) ||
        (signs.length === 0) !== (name === IOREDIS),
    );
    expect(incomplete).toEqual([]);
    expect(new Set(KNOWN_CLIENTS.map(({ name }) => name)).size).toBe(KNOWN_CLIENTS.length);
  });

  test("are recognized by their marks, in any case of letters", () => {
    expect(recognize({ "user-agent": "OpenAI/JS 6.49.0" })).toBe("OpenAI");
    expect(recognize({ "user-agent": "axios/1.21.1" })).toBe("axios");
    expect(recognize({ "user-agent": "node" })).toBe("fetch");
    expect(recognize({ "user-agent": "node-fetch" })).toBe("node-fetch");
  });

  test("are told from what they are built on", () => {
    expect(recognize({ "user-agent": "node", "x-stripe-client-user-agent": "{}" })).toBe("Stripe");
    expect(recognize({ "user-agent": "aws-sdk-js/3.1 ua/2.1" })).toBe("AWS SDK");
    const storage = { "user-agent": "azsdk-js-azure-storage-blob/12.32.0 core-rest-pipeline/1.24.0" };
    expect(recognize({ ...storage, "x-ms-client-request-id": "1" })).toBe("Azure Storage");
    expect(recognize({ "x-ms-client-request-id": "1" })).toBe("Azure SDK");
  });

  test("may be none of them: then the setting is told in general", () => {
    expect(recognize({ "user-agent": "curl/8" })).toBeNull();
    expect(recognize({})).toBeNull();
    expect(settingOf(null)).toBe("turn off the retry of the client");
    expect(settingOf("Stripe")).toContain("maxNetworkRetries: 0");
  });
});
