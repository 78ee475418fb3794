/** What a message says, as each kind of channel wants it said. Links lead to pages, and no page acts by being opened. */

import { noticeFacts, type NoticeContent } from "../core/notice-words.ts";

/** A message on its way. */
export interface Outgoing {
  /** The same whenever it is sent. */
  readonly messageId: string;
  readonly noticeId: string;
  /** An address within the channel; null = it has one place only. */
  readonly to: string | null;
  readonly content: NoticeContent;
  /** When it is sent, epoch ms. */
  readonly at: number;
}

/** What texts are made with. */
export interface Wording {
  /** Where people reach the console, without a slash at its end; null = nobody said. */
  readonly consoleUrl: string | null;
  readonly formatTime: (at: number) => string;
}

/** The link to what it is about; null = nobody said where the console is. */
function linkOf({ path }: NoticeContent, { consoleUrl }: Wording): string | null {
  return consoleUrl === null ? null : `${consoleUrl}${path}`;
}

/** As plain text, without its title. */
export function plainText(content: NoticeContent, wording: Wording): string {
  const link = linkOf(content, wording);
  const facts = noticeFacts(content, wording.formatTime).map(([name, value]) => `${name}: ${value}`);
  return [content.sentence, "", ...facts, ...(link === null ? [] : ["", link]), ""].join("\n");
}

/** A body for an incoming webhook of Slack. */
export function slackBody({ content }: Outgoing, wording: Wording): object {
  const link = linkOf(content, wording);
  const facts = noticeFacts(content, wording.formatTime).map(
    ([name, value]) => `*${slackText(name)}:* ${slackText(value)}`,
  );
  const lines = [
    `*${slackText(content.title)}*`,
    slackText(content.sentence),
    ...facts,
    ...(link === null ? [] : [`<${slackText(link)}|Open in the console>`]),
  ];
  return { text: lines.join("\n"), unfurl_links: false, unfurl_media: false };
}

/** What Slack would read as a mention, a link or a channel is none. */
function slackText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** A body for a workflow of Microsoft Teams: an Adaptive Card. */
export function teamsBody({ content }: Outgoing, wording: Wording): object {
  const link = linkOf(content, wording);
  const facts = noticeFacts(content, wording.formatTime).map(([title, value]) => ({ title, value }));
  const card = {
    $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
    type: "AdaptiveCard",
    version: "1.4",
    body: [
      { type: "TextBlock", text: content.title, weight: "Bolder", size: "Medium", wrap: true },
      { type: "TextBlock", text: content.sentence, wrap: true },
      { type: "FactSet", facts },
    ],
    actions: link === null ? [] : [{ type: "Action.OpenUrl", title: "Open in the console", url: link }],
  };
  const contentType = "application/vnd.microsoft.card.adaptive";
  return { type: "message", attachments: [{ contentType, contentUrl: null, content: card }] };
}

/** Longest summary that an event may have. */
const SUMMARY_CHARS_MAX = 1_024;

/** An event of the Events API v2. Everything about one notice has one key: told again it is the same incident. */
export function pagerDutyBody(
  { noticeId, content, at }: Outgoing,
  { routingKey, ...wording }: Wording & { readonly routingKey: string },
): object {
  const event = { routing_key: routingKey, dedup_key: `foothold-${noticeId}` };
  if (content.why === "over") return { ...event, event_action: "resolve" };
  const link = linkOf(content, wording);
  return {
    ...event,
    event_action: "trigger",
    client: "Foothold",
    ...(link === null ? {} : { client_url: link, links: [{ href: link, text: "Open in the console" }] }),
    payload: {
      summary: `${content.title}. ${content.sentence}`.slice(0, SUMMARY_CHARS_MAX),
      source: "foothold",
      severity: SEVERITIES[content.why],
      timestamp: new Date(at).toISOString(),
      group: content.owner,
      custom_details: Object.fromEntries(noticeFacts(content, wording.formatTime)),
    },
  };
}

const SEVERITIES: Readonly<Record<Exclude<NoticeContent["why"], "over">, string>> = {
  new: "error",
  more: "warning",
  grown: "critical",
  reminder: "warning",
  overdue: "critical",
  test: "info",
};

/** A body for a program of one's own. Times are epoch ms. */
export function webhookBody({ noticeId, content, at }: Outgoing, wording: Wording): object {
  const { why, owner, title, sentence, about, command } = content;
  return {
    type: `foothold.notice.${why}`,
    timestamp: new Date(at).toISOString(),
    data: { noticeId, owner, title, sentence, about, command, link: linkOf(content, wording) },
  };
}
