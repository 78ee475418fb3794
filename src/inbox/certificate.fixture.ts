import { createSign, type KeyObject } from "node:crypto";

/** A certificate that a key signed for itself, as PEM: what Amazon publishes for its topics, made for a test. */
export function selfSignedCertificate(publicKey: KeyObject, privateKey: KeyObject): string {
  const algorithm = sequence(der(0x06, Buffer.from("2a864886f70d01010b", "hex")), der(0x05));
  const commonName = sequence(der(0x06, Buffer.from("550403", "hex")), der(0x0c, Buffer.from("sns.test")));
  const name = sequence(der(0x31, commonName));
  const validity = sequence(der(0x17, Buffer.from("200101000000Z")), der(0x17, Buffer.from("491231235959Z")));
  const version = der(0xa0, der(0x02, Buffer.from([2])));
  const serial = der(0x02, Buffer.from([1]));
  const key = publicKey.export({ type: "spki", format: "der" });
  const body = sequence(version, serial, algorithm, name, validity, name, key);
  const signature = createSign("RSA-SHA256").update(body).sign(privateKey);
  const whole = sequence(body, algorithm, der(0x03, Buffer.concat([Buffer.from([0]), signature])));
  const lines = whole.toString("base64").match(/.{1,64}/g) ?? [];
  return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n");
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

function der(tag: number, content: Buffer = Buffer.alloc(0)): Buffer {
  const { length } = content;
  const size =
    length < 0x80
      ? Buffer.from([length])
      : length < 0x100
        ? Buffer.from([0x81, length])
        : Buffer.from([0x82, length >> 8, length & 0xff]);
  return Buffer.concat([Buffer.from([tag]), size, content]);
}
