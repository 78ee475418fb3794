import { createSign, generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { Json } from "../core/json.ts";
import { headersOf, type Arrival } from "./arrival.ts";
import { selfSignedCertificate } from "./certificate.fixture.ts";
import type { Preset } from "./preset.ts";
import { PRESETS } from "./presets.ts";
import { readBody } from "./read-events.ts";
import { signRequest } from "./sign.ts";
import { at, oldAndNew, standard, standardHeaders, vectors, type Given } from "./verify-vectors.fixture.ts";
import { verifyArrival, type Secret, type Verdict } from "./verify.ts";

function entriesOf({ headers }: Pick<Given, "headers">): readonly (readonly [string, string])[] {
  return isList(headers) ? headers : Object.entries(headers);
}

function isList(headers: Given["headers"]): headers is readonly (readonly [string, string])[] {
  return Array.isArray(headers);
}

function arrivalOf({ headers, body, url, receivedAt }: Given): Arrival {
  return {
    method: "POST",
    url: url ?? null,
    headers: headersOf(entriesOf({ headers })),
    body: typeof body === "string" ? Buffer.from(body, "utf8") : body,
    receivedAt: receivedAt ?? at * 1_000,
  };
}

const secretsOf = (texts: readonly string[]): readonly Secret[] =>
  texts.map((secret, index) => ({ id: `s${index + 1}`, secret, notBeforeAt: null, notAfterAt: null }));

async function judge(preset: Preset, given: Given): Promise<Verdict> {
  const arrival = arrivalOf(given);
  const read = await readBody(arrival, preset);
  const body: Json = read.kind === "json" ? read.value : null;
  return verifyArrival(arrival, {
    preset,
    secrets: secretsOf(given.secrets),
    toleranceMs: 300_000,
    body,
    fetchCertificate: given.certificate ?? (() => Promise.reject(new Error("no certificate is needed"))),
  });
}

describe("a genuine request is taken", () => {
  test.each(vectors)("of %s, by the provider's own example", async (_name, preset, given) => {
    expect(await judge(preset, given)).toMatchObject({ kind: "authentic" });
  });

  test("of a secret that is being replaced, naming the one that matched", async () => {
    const given = {
      body: '{"id":"evt_1"}',
      headers: { "stripe-signature": `t=${at},v1=${oldAndNew.old}` },
      secrets: ["whsec_new", "whsec_old"],
    };
    expect(await judge(PRESETS.stripe, given)).toMatchObject({ kind: "authentic", secretId: "s2" });
    expect(await judge(PRESETS.stripe, { ...given, secrets: ["whsec_new"] })).toEqual({
      kind: "refused",
      reason: "wrongSignature",
    });
  });

  test("although its time is that of the event and its retry comes hours later", async () => {
    const body = JSON.stringify({ webhookTimestamp: at * 1_000 });
    const headers = signRequest(PRESETS.linear, {
      method: "POST",
      url: "",
      body: Buffer.from(body),
      secret: "shop-secret",
      at: at * 1_000,
      id: "d1",
      eventType: "Issue",
    });
    const late = { body, headers, secrets: ["shop-secret"], receivedAt: (at + 6 * 3_600) * 1_000 };
    expect(await judge(PRESETS.linear, late)).toMatchObject({ kind: "authentic" });
    expect(await judge(PRESETS.linear, { ...late, receivedAt: (at + 72 * 3_600) * 1_000 })).toMatchObject({
      reason: "tooOld",
    });
  });
});

describe("a request is refused", () => {
  test.each(vectors)("of %s, with any byte of its body changed", async (_name, preset, given) => {
    // Adyen signs eight fields only: what is changed elsewhere cannot be seen.
    const body = Buffer.from(preset.name === "adyen" ? "" : given.body);
    for (let index = 0; index < body.length; index += Math.max(1, Math.floor(body.length / 40))) {
      const forged = Buffer.from(body);
      forged[index] = (forged[index] ?? 0) ^ 1;
      const verdict = await judge(preset, { ...given, body: forged });
      expect(verdict.kind).toBe("refused");
    }
    expect((await judge(preset, { ...given, body: "" })).kind).toBe("refused");
    const spaced = Buffer.concat([body, Buffer.from(" ")]);
    expect((await judge(preset, { ...given, body: spaced })).kind).toBe("refused");
  });

  test.each(vectors)(
    "of %s, with a secret that is another, empty or has a line break",
    async (_name, preset, given) => {
      for (const secret of ["", "whsec_", "whpk_", "another", `${given.secrets.at(-1) ?? ""}\n`]) {
        expect((await judge(preset, { ...given, secrets: [secret] })).kind).toBe("refused");
      }
      expect(await judge(preset, { ...given, secrets: [] })).toEqual({ kind: "refused", reason: "noSecret" });
    },
  );

  test.each(vectors)(
    "of %s, without any one of its headers, or with one twice",
    async (_name, preset, given) => {
      const entries = entriesOf(given).filter(([name]) => name !== "content-type");
      for (const [name] of entries) {
        const rest = entries.filter(([other]) => other !== name);
        expect((await judge(preset, { ...given, headers: rest })).kind).toBe("refused");
        const value = entries.find(([other]) => other === name)?.[1] ?? "";
        expect((await judge(preset, { ...given, headers: [...entries, [name, value]] })).kind).toBe(
          "refused",
        );
      }
    },
  );

  const good = standard.signature.slice(3);
  test.each([
    ["an empty list", "v1,"],
    ["a digest that is too short", `v1,${good.slice(0, 20)}`],
    ["no base64", "v1,***"],
    ["the wrong version", `v0,${good}`],
    ["an unknown version", `v2,${good}`],
    ["the version of another kind of key", `v1a,${good}`],
    ["the signature past the sixteenth place", `${"v1,AAAA ".repeat(16)}v1,${good}`],
    ["a header that is longer than any", `v1,${good} ${"v1,AAAA ".repeat(1_000)}`],
  ])("with %s", async (_name, signature) => {
    const verdict = await judge(PRESETS["standard-webhooks"], {
      ...standard,
      headers: standardHeaders(signature),
    });
    expect(verdict.kind).toBe("refused");
  });

  test("unless the right one of many signatures stands in the middle", async () => {
    const many = `v1,AAAA v1,${good} v1,BBBB`;
    expect(
      await judge(PRESETS["standard-webhooks"], { ...standard, headers: standardHeaders(many) }),
    ).toMatchObject({ kind: "authentic", scheme: "v1" });
  });

  test("whose id has the separator in it", async () => {
    const headers = standardHeaders(standard.signature, "msg.1");
    expect(await judge(PRESETS["standard-webhooks"], { ...standard, headers })).toMatchObject({
      reason: "malformed",
    });
  });

  test.each([
    ["is 301 s old", -301, "tooOld"],
    ["is 301 s ahead", 301, "tooNew"],
  ])("whose time %s, though it is well signed", async (_name, offS, reason) => {
    const body = Buffer.from("{}");
    const headers = signRequest(PRESETS.slack, {
      method: "POST",
      url: "",
      body,
      secret: "shh",
      at: (at + offS) * 1_000,
      id: "",
      eventType: "",
    });
    expect(await judge(PRESETS.slack, { body, headers, secrets: ["shh"] })).toEqual({
      kind: "refused",
      reason,
    });
  });

  test.each(["1614265330abc", "NaN", "-1614265330", "1e9", "", " 1614265330", "9".repeat(16), "0x60378d72"])(
    "whose time is %j",
    async (time) => {
      const headers = standardHeaders(standard.signature, standard.id, time);
      const verdict = await judge(PRESETS["standard-webhooks"], { ...standard, headers });
      expect(verdict).toMatchObject({ kind: "refused", reason: "malformed" });
    },
  );

  test("whose time is in milliseconds where seconds are due", async () => {
    const body = Buffer.from("{}");
    const signing = {
      method: "POST",
      url: "",
      body,
      secret: "shh",
      at: at * 1_000_000,
      id: "",
      eventType: "",
    };
    const headers = signRequest(PRESETS.slack, signing);
    expect(await judge(PRESETS.slack, { body, headers, secrets: ["shh"] })).toMatchObject({
      kind: "refused",
    });
  });

  test("that was signed for another address", async () => {
    const given = vectors.find(([name]) => name === "Square")?.[2] ?? { headers: {}, body: "", secrets: [] };
    expect(await judge(PRESETS.square, given)).toMatchObject({ kind: "authentic" });
    expect(await judge(PRESETS.square, { ...given, url: "https://other.example/hook" })).toMatchObject({
      reason: "wrongSignature",
    });
  });
});

describe("bytes that are no text", () => {
  test("are judged as they are: a byte order mark, line ends and broken UTF-8 stay what they were", async () => {
    for (const body of [
      Buffer.from("\uFEFF{}"),
      Buffer.from("{\r\n}"),
      Buffer.from([0x7b, 0xff, 0xfe, 0x7d]),
      Buffer.from([0x7b, 0xff, 0xfd, 0x7d]),
    ]) {
      const signing = { method: "POST", url: "", body, secret: "shh", at: 0, id: "", eventType: "" };
      const headers = signRequest(PRESETS.github, signing);
      expect(await judge(PRESETS.github, { body, headers, secrets: ["shh"] })).toMatchObject({
        kind: "authentic",
      });
    }
    const one = Buffer.from([0x7b, 0xff, 0x7d]);
    const other = Buffer.from([0x7b, 0xfe, 0x7d]);
    const headers = signRequest(PRESETS.github, {
      method: "POST",
      url: "",
      body: one,
      secret: "shh",
      at: 0,
      id: "",
      eventType: "",
    });
    expect((await judge(PRESETS.github, { body: other, headers, secrets: ["shh"] })).kind).toBe("refused");
  });
});

describe("Amazon SNS", () => {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  const pem = selfSignedCertificate(publicKey, privateKey);
  const topic = "arn:aws:sns:eu-west-1:123456789012:orders";
  const common = {
    MessageId: "22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324",
    TopicArn: topic,
    Message: "My first message!",
    Timestamp: "2026-05-02T00:54:06.655Z",
    SigningCertURL: "https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-1.pem",
  };
  const confirmation = {
    SubscribeURL: "https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription",
    Token: "t",
  };
  const notification = ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"];
  const confirming = ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"];

  function signed(
    fields: Readonly<Record<string, string>>,
    names: readonly string[],
    version: "1" | "2" = "2",
  ): Readonly<Record<string, string>> {
    const lines = names
      .filter((name) => fields[name] !== undefined)
      .map((name) => `${name}\n${fields[name]}\n`);
    const sign = createSign(version === "1" ? "RSA-SHA1" : "RSA-SHA256").update(lines.join(""));
    return { ...fields, SignatureVersion: version, Signature: sign.sign(privateKey, "base64") };
  }

  const judgeMessage = (message: object, secrets = [topic]): Promise<Verdict> =>
    judge(PRESETS.sns, {
      headers: {},
      body: JSON.stringify(message),
      secrets,
      certificate: () => Promise.resolve(pem),
    });

  test.each([
    ["a notification", signed({ ...common, Type: "Notification" }, notification)],
    ["one with a subject", signed({ ...common, Type: "Notification", Subject: "Hello" }, notification)],
    ["one of version 1", signed({ ...common, Type: "Notification" }, notification, "1")],
    ["a confirmation", signed({ ...common, ...confirmation, Type: "SubscriptionConfirmation" }, confirming)],
    ["a farewell", signed({ ...common, ...confirmation, Type: "UnsubscribeConfirmation" }, confirming)],
  ])("is taken at its word for %s", async (_name, message) => {
    expect(await judgeMessage(message)).toMatchObject({ kind: "authentic", scheme: "sns" });
  });

  test("is refused for a topic that is not configured, though Amazon signed it", async () => {
    const message = signed({ ...common, Type: "Notification" }, notification);
    expect(await judgeMessage(message, [`${topic}-of-another`])).toMatchObject({ reason: "wrongSignature" });
  });

  test("is refused when any signed field was changed", async () => {
    const message = signed({ ...common, Type: "Notification", Subject: "Hello" }, notification);
    for (const name of ["Message", "MessageId", "Subject", "Timestamp"]) {
      expect(await judgeMessage({ ...message, [name]: "forged" })).toMatchObject({
        reason: "wrongSignature",
      });
    }
  });

  test.each([
    "http://sns.eu-west-1.amazonaws.com/a.pem",
    "https://sns.eu-west-1.amazonaws.com.evil.example/a.pem",
    "https://evil.example/sns.eu-west-1.amazonaws.com/a.pem",
    "https://sns.eu-west-1.amazonaws.com@evil.example/a.pem",
    "https://s3.amazonaws.com/bucket/a.pem",
    "https://sns.eu-west-1.amazonaws.com:8443/a.pem",
    "https://169.254.169.254/a.pem",
    "file:///etc/passwd.pem",
    "nonsense",
  ])("never has a certificate fetched from %s", async (address) => {
    let asked = 0;
    const message = signed({ ...common, SigningCertURL: address, Type: "Notification" }, notification);
    const verdict = await judge(PRESETS.sns, {
      headers: {},
      body: JSON.stringify(message),
      secrets: [topic],
      certificate: () => {
        asked += 1;
        return Promise.resolve(pem);
      },
    });
    expect({ asked, kind: verdict.kind }).toEqual({ asked: 0, kind: "refused" });
  });
});
