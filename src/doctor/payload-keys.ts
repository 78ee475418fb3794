/** What can be said of the keys that payloads are sealed with. Pure. */

import { finding, type Finding } from "./finding.ts";

/** What is known of one. */
export interface KnownKey {
  readonly keyId: string;
  readonly state: "inUse" | "lost";
  readonly here: "seals" | "opens" | "missing";
}

/** A finding for each key that is missing here, lost, or older than the first; and where others seal and this does not. */
export function examineKeys(keys: readonly KnownKey[]): readonly Finding[] {
  const isSealing = keys.some(({ here }) => here === "seals");
  return keys.flatMap(({ keyId, state, here }): readonly Finding[] => {
    if (state === "lost") {
      const sentence = `The key ${keyId} was given up: cases with payloads of it cannot be read.`;
      return [
        finding("PAYLOAD_KEY_LOST", {}, { sentence, remedy: "the key itself, if it is found: codec.keys" }),
      ];
    }
    switch (here) {
      case "missing": {
        const sentence = `Payloads are sealed with the key ${keyId}, which this configuration does not have.`;
        return [finding("PAYLOAD_KEY_MISSING", {}, { sentence, remedy: "codec.keys" })];
      }
      case "opens": {
        if (isSealing) {
          const sentence = `The key ${keyId} is not the first any more, and is still needed.`;
          return [finding("PAYLOAD_KEY_OLD", {}, { sentence, remedy: "foothold keys rotate" })];
        }
        const sentence =
          `Payloads are sealed with the key ${keyId}, and processes with this configuration store theirs ` +
          `plain or with another.`;
        const remedy = "codec without readOnly, with the same first key everywhere";
        return [finding("PAYLOADS_PLAIN", {}, { sentence, remedy })];
      }
      case "seals":
        return [];
    }
  });
}
