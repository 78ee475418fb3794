/** Who owners are and how they are told: what a project writes under `notices`. */

import type { RetryOptions } from "./destination.ts";
import type { Duration } from "./duration.ts";

/** What every channel may say. */
interface ChannelCommon {
  /** As of a destination; up to 8 attempts when left out. */
  readonly retry?: RetryOptions;
  /** Whether it also tells what is over. Default: pagerDuty and webhook do. */
  readonly tellsOver?: boolean;
}

/** What every channel over HTTP may say. Read when it is needed; never stored, never told. */
interface HttpCommon extends ChannelCommon {
  /** True = it may be at a private or loopback address, and speak plain http. Default false. */
  readonly allowPrivate?: boolean;
}

/** How messages travel. */
export type ChannelOptions =
  | (ChannelCommon & {
      readonly kind: "mail";
      /** Such as `Foothold <foothold@example.com>`. */
      readonly from: string;
      /** Such as `smtps://user:password@mail.example.com`. */
      readonly smtp: () => string | undefined;
    })
  /** An incoming webhook of Slack. */
  | (HttpCommon & { readonly kind: "slack"; readonly url: () => string | undefined })
  /** A workflow of Microsoft Teams that begins with a webhook request. */
  | (HttpCommon & { readonly kind: "teams"; readonly url: () => string | undefined })
  /** Events API v2, of PagerDuty or whoever speaks it. */
  | (HttpCommon & {
      readonly kind: "pagerDuty";
      readonly routingKey: () => string | undefined;
      /** Default `https://events.pagerduty.com/v2/enqueue`. */
      readonly url?: () => string | undefined;
    })
  /** Any program of your own: signed as Standard Webhooks says. */
  | (HttpCommon & {
      readonly kind: "webhook";
      readonly url: () => string | undefined;
      /** `whsec_` and at least 16 bytes in base64. */
      readonly secret: () => string | undefined;
    });

/** Where an owner is told: a channel by its name, or a mail address within one. */
export type TellOptions = string | { readonly by: string; readonly to: string };

/** What a rota is asked with. */
export interface RotaContext {
  readonly owner: string;
  /** Epoch ms. */
  readonly at: number;
  /** Aborts at the deadline. */
  readonly signal: AbortSignal;
}

/** What the name of an owner stands for. */
export type OwnerOptions =
  /** A person, or a place where several read. */
  | { readonly tell: readonly TellOptions[] }
  /** A team: each of its people is told, and the places of its own. */
  | { readonly people: readonly string[]; readonly tell?: readonly TellOptions[] }
  /** Whoever is on duty: asked each time that there is something to tell. */
  | {
      /** Gives the name of a person or a team, or several. */
      readonly rota: (
        context: RotaContext,
      ) => Promise<string | readonly string[]> | string | readonly string[];
      /** Default 5 s, at most 30 s. */
      readonly deadline?: Duration;
      /** Who is told where it fails, is late, or names nobody that there is. */
      readonly fallback: string;
    };

/** Who owners are, how they are told, and when. */
export interface NoticeOptions {
  readonly channels: Readonly<Record<string, ChannelOptions>>;
  /** By the names that destinations, case types and approvals use. */
  readonly owners: Readonly<Record<string, OwnerOptions>>;
  /** Who is told where nobody answers to the name of an owner. Left out = nobody, and that is in sight. */
  readonly otherwise?: string;
  /** Where people reach the console; goes before `foothold serve --public-url`. */
  readonly consoleUrl?: string;
  /** How long cases gather before their owner is first told. Default 30 s. */
  readonly gather?: Duration;
  /** How long an owner is left alone before further cases are told. Default 1 h. */
  readonly again?: Duration;
  /** When what has no due time of its own is overdue. Default 1 d. */
  readonly overdueAfter?: Duration;
  /** Tells again where so many times as many cases wait as were told: 2 to 1,000. Left out = does not. */
  readonly growth?: number;
}
