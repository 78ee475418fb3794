/** The few addresses of providers that are asked: certificates and confirmations of Amazon SNS. Checked before, bounded. */

import type { Clock } from "../core/ports.ts";
import type { FetchCertificate } from "./signatures/sns.ts";

/** How long an address may take, in ms. */
const ANSWER_MS_MAX = 3_000;
/** Longest certificate, in characters. */
const CERTIFICATE_CHARS_MAX = 64 * 1024;
/** Certificates that are kept; Amazon has a few for each region. */
const CERTIFICATES_MAX = 64;
/** How long one is kept, in ms. */
const CERTIFICATE_MS = 24 * 3_600_000;

/** Asks an address; the built-in `fetch` where nothing else is given. */
export type Ask = (
  url: string,
  init: { readonly redirect: "error"; readonly signal: AbortSignal },
) => Promise<Response>;

/** Gives certificates, each asked for once at a time and kept for a day. Rejects when one cannot be had. */
export function certificateFetcher(ask: Ask, clock: Clock): FetchCertificate {
  const kept = new Map<string, { readonly until: number; readonly pem: Promise<string> }>();
  return (url) => {
    const known = kept.get(url);
    if (known !== undefined && known.until > clock.now()) return known.pem;
    if (kept.size >= CERTIFICATES_MAX) kept.clear();
    const pem = readText(ask, url, CERTIFICATE_CHARS_MAX);
    kept.set(url, { until: clock.now() + CERTIFICATE_MS, pem });
    pem.catch(() => kept.delete(url));
    return pem;
  };
}

/** Asks the address that confirms a subscription. Rejects when it does not answer with a success. */
export async function confirmSubscription(ask: Ask, url: string): Promise<void> {
  await readText(ask, url, CERTIFICATE_CHARS_MAX);
}

async function readText(ask: Ask, url: string, charsMax: number): Promise<string> {
  const response = await ask(url, { redirect: "error", signal: AbortSignal.timeout(ANSWER_MS_MAX) });
  if (!response.ok) throw new Error(`${new URL(url).host} answered ${response.status}`);
  const declared = Number(response.headers.get("content-length") ?? "0");
  if (declared > charsMax) throw new Error(`${new URL(url).host} answered with ${declared} bytes`);
  const text = await response.text();
  if (text.length > charsMax) throw new Error(`${new URL(url).host} answered with ${text.length} characters`);
  return text;
}
