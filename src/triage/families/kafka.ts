/** Kafka: names of the protocol's codes, and of what its client runs into. */

import { codes, denied, maybe, no } from "../meaning.ts";
import { textInside } from "../plain-data.ts";
import type { Family } from "./family.ts";

const away = { scope: "destination" } as const;

/** Kafka. */
export const kafka: Family = {
  name: "kafka",
  fromError: ({ chain }) => {
    const [first] = chain;
    if (first === undefined || !first.name.startsWith("KafkaJS")) return null;
    // "Retries used up" says nothing of its own: what stands behind it does.
    const telling =
      chain.find(({ name }) => !/^KafkaJS(NumberOfRetriesExceeded|NonRetriableError)$/.test(name)) ?? first;
    const type = textInside(telling.facts, "type");
    const found = [type, telling.code, telling.name].filter((word) => word !== null);
    return {
      codes: found,
      otherwise: telling.name.startsWith("KafkaJS") ? maybe("transient") : null,
      answer: null,
    };
  },
  codes: codes(
    [no("transient", away), "KafkaJSConnectionError KafkaJSBrokerNotFound ECONNREFUSED"],
    [
      no("transient"),
      "NOT_LEADER_FOR_PARTITION LEADER_NOT_AVAILABLE NOT_ENOUGH_REPLICAS COORDINATOR_LOAD_IN_PROGRESS " +
        "COORDINATOR_NOT_AVAILABLE NOT_COORDINATOR NOT_CONTROLLER",
    ],
    [
      maybe("transient"),
      "REQUEST_TIMED_OUT NOT_ENOUGH_REPLICAS_AFTER_APPEND KafkaJSRequestTimeoutError KafkaJSConnectionClosedError",
    ],
    [denied("scope"), "TOPIC_AUTHORIZATION_FAILED GROUP_AUTHORIZATION_FAILED CLUSTER_AUTHORIZATION_FAILED"],
    [denied("revoked"), "SASL_AUTHENTICATION_FAILED KafkaJSSASLAuthenticationError"],
    [no("rejected"), "MESSAGE_TOO_LARGE INVALID_RECORD RECORD_LIST_TOO_LARGE INVALID_TIMESTAMP"],
    [no("gone"), "UNKNOWN_TOPIC_OR_PARTITION"],
    [no("conflict"), "TOPIC_ALREADY_EXISTS DUPLICATE_SEQUENCE_NUMBER"],
    [no("throttled"), "THROTTLING_QUOTA_EXCEEDED"],
    [
      no("bug"),
      "UNSUPPORTED_VERSION KafkaJSUnsupportedMagicByteInMessageSet INVALID_REQUEST KafkaJSNonRetriableError",
    ],
  ),
};
