/**
 * What Foothold knows of a provider, as data: how it signs, what names one event, how it wants to be answered. Numbers
 * change between versions of a provider's pages, so each preset says when it was checked and none is code.
 */

/** How the bytes of a secret are written. `utf8` takes it whole, prefix included. */
export interface SecretForm {
  readonly encoding: "utf8" | "base64" | "hex";
  /** Taken off first. */
  readonly prefix: string;
  /** Fewer bytes than this are refused: an empty secret signs for everybody. */
  readonly bytesMin: number;
}

/** Where a signature stands in its header. */
export interface SignaturePlace {
  readonly header: string;
  /**
   * `bare`: all of the header; `prefixed`: after a fixed text; `named`: `t=1,v1=ab,v1=cd`, each value of `name`; `list`:
   * entries that begin with a text, such as `v1,`.
   */
  readonly form:
    | { readonly kind: "bare" }
    | { readonly kind: "prefixed"; readonly prefix: string }
    | { readonly kind: "named"; readonly separator: string; readonly name: string }
    | { readonly kind: "list"; readonly separator: string; readonly prefix: string };
  readonly encoding: "hex" | "base64";
}

/** When something was signed. */
export interface TimestampRule {
  readonly from:
    | { readonly header: string }
    /** A named part of the signature's own header. */
    | { readonly part: string }
    /** A field of the body. */
    | { readonly path: readonly string[] };
  readonly unit: "s" | "ms" | "rfc3339";
  /**
   * `attempt`: made anew for each attempt, so an old one is a replay. `event`: the same in every retry, so it must be
   * accepted as long as the provider retries.
   */
  readonly of: "attempt" | "event";
}

/** A piece of what is signed, in order. */
export type SignedPart = "raw" | "timestamp" | "id" | "method" | "url" | { readonly text: string };

/** How a request proves where it comes from. */
export type Scheme =
  | {
      readonly kind: "hmac";
      /** Stored with the delivery. */
      readonly name: string;
      readonly algorithm: "sha256" | "sha1";
      readonly secret: SecretForm;
      readonly signature: SignaturePlace;
      readonly signed: readonly SignedPart[];
      readonly id: string | null;
      readonly timestamp: TimestampRule | null;
    }
  | {
      readonly kind: "ed25519";
      readonly name: string;
      readonly secret: SecretForm;
      readonly signature: SignaturePlace;
      readonly signed: readonly SignedPart[];
      readonly id: string | null;
      readonly timestamp: TimestampRule | null;
    }
  /** A hash with the secret in front, which HubSpot's first two versions use. */
  | {
      readonly kind: "hash";
      readonly name: string;
      readonly signature: SignaturePlace;
      readonly signed: readonly SignedPart[];
    }
  /** A shared text in a header: authentic, not signed. `before` stands in front of it, such as `Bearer `. */
  | { readonly kind: "token"; readonly name: string; readonly header: string; readonly before: string }
  /** A shared text in the body. */
  | { readonly kind: "bodyToken"; readonly name: string; readonly path: readonly string[] }
  | { readonly kind: "twilio"; readonly name: string }
  | { readonly kind: "sns"; readonly name: string }
  | { readonly kind: "paypal"; readonly name: string }
  | { readonly kind: "adyen"; readonly name: string };

/** Where a value is found: a header, a field of one event, or a field of the whole body. Ids are read as texts. */
export type Where =
  | { readonly header: string }
  | { readonly path: readonly string[] }
  | { readonly bodyPath: readonly string[] }
  | { readonly text: string };

/** What an outcome is answered with. */
export interface Answer {
  readonly status: number;
  readonly contentType: string | null;
  readonly body: string;
}

/** A question that a provider asks to see whether somebody listens. */
export type ChallengeRule = "slack" | "sns" | "zoom" | "graph" | "cloudEvents" | null;

/** A provider. */
export interface Preset {
  readonly name: string;
  /** When the provider's pages were last compared with this, as YYYY-MM-DD. */
  readonly checkedOn: string;
  /** Tried in order; a request that carries the first one's header is judged by it alone. */
  readonly schemes: readonly Scheme[];
  readonly body: "json" | "form" | "byContentType" | "cloudEvents";
  /** Where several events stand in one body; null = the body is one event. */
  readonly items: { readonly list: readonly string[]; readonly item: readonly string[] } | null;
  /** What names one delivery of one event: the suppressing key. All parts must be there, else the body's hash is taken. */
  readonly deliveryKey: readonly Where[];
  /** What names the fact itself, where the provider may send it under several ids. */
  readonly businessKey: readonly Where[] | null;
  readonly eventType: readonly Where[];
  readonly occurredAt: { readonly where: Where; readonly unit: "s" | "ms" | "rfc3339" } | null;
  /** What the event is about: events of one subject are worked on one after another. */
  readonly subject: readonly Where[] | null;
  /** True where neither id nor time is signed: an equal body under another id is then the same event. */
  readonly isBodyTheKey: boolean;
  /** Headers that are stored beside those of every source; one may end in `*`. */
  readonly keptHeaders: readonly string[];
  readonly accepted: Answer;
  /** Asked for with every refusal of a signature; 401 unless the provider means something else by it. */
  readonly challenge: ChallengeRule;
  /** Bytes of one body. */
  readonly bodyBytesMax: number;
  /** How long after the event the provider may send it again, by itself or by hand, in ms. */
  readonly resendsWithinMs: number;
  /** False where what is not answered with 2xx is lost. */
  readonly retries: boolean;
}
