/**
 * Who may reach the server at all. Only this machine, unless it is told the https address that people know it by. Of
 * this machine, three things must be true of every request: its peer is a loopback address; the name that it was sent to
 * is one of this machine's own (else a page elsewhere could reach us through a name that it rebinds to 127.0.0.1); and
 * no other site's page made it. Whoever forwards requests from elsewhere says so in a header, and is refused too. At a
 * public address it must have been sent to that very name, by no other site's page; who it is is told by sign-in.
 */

import { FootholdError } from "../core/errors.ts";
import type { IsProxy } from "./client-address.ts";

/** What the rules look at. */
export interface RequestFacts {
  /** Address of the socket's other end; null = unknown, which is refused. */
  readonly peer: string | null;
  readonly method: string;
  /** The URL as the server read it. */
  readonly url: string;
  /** By lower-case name. */
  readonly header: (name: string) => string | undefined;
}

const ownNames = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i;
const forwardingHeaders = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip"];

/** True for 127.0.0.0/8 and ::1, as IPv6-mapped addresses too. */
export function isLoopbackAddress(address: string): boolean {
  return address === "::1" || /^(::ffff:)?127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/i.test(address);
}

/** How the server is reached: from this machine alone, or at an https origin such as `https://foothold.example.com`. */
export type Reach =
  | { readonly kind: "loopback" }
  | {
      readonly kind: "public";
      readonly origin: string;
      /** Which proxies are believed when they say where a request comes from; left out = none. */
      readonly isProxy?: IsProxy;
    };

/** Why a request is refused; null = it may go on. */
export function judgeRequest(request: RequestFacts, reach: Reach): FootholdError | null {
  const origin = reach.kind === "public" ? reach.origin : `http://${request.header("host") ?? ""}`;
  const refused =
    reach.kind === "public"
      ? judgePublicName(request, reach.origin)
      : (judgePeer(request) ?? judgeName(request));
  return refused ?? judgeSite(request, origin);
}

/** By its own name alone: a page that binds a name of its own to our address must not be answered. */
function judgePublicName({ header }: RequestFacts, origin: string): FootholdError | null {
  const host = header("host") ?? "";
  if (host.toLowerCase() === new URL(origin).host) return null;
  return new FootholdError(
    "NOT_ALLOWED",
    `The request was sent to ${JSON.stringify(host.slice(0, 100))}; this server answers to ${origin}.`,
  );
}

function judgePeer({ peer, header }: RequestFacts): FootholdError | null {
  if (peer === null || !isLoopbackAddress(peer)) {
    return refusal("This server answers only programs on the same machine; there is no sign-in yet.");
  }
  const forwarded = forwardingHeaders.find((name) => header(name) !== undefined);
  if (forwarded === undefined) return null;
  return refusal(
    `The request was forwarded (it carries ${forwarded}). There is no sign-in yet, so nothing may forward to this server.`,
  );
}

function judgeName({ url, header }: RequestFacts): FootholdError | null {
  const host = header("host") ?? "";
  if (ownNames.test(host) && ownNames.test(new URL(url).host)) return null;
  return refusal(
    `The request was sent to ${JSON.stringify(host.slice(0, 100))}. This server answers only to localhost, 127.0.0.1 and [::1].`,
  );
}

/** Browsers say where a request comes from; other programs say nothing and are no danger of this kind. */
function judgeSite({ method, header }: RequestFacts, own: string): FootholdError | null {
  const origin = header("origin");
  if (origin !== undefined && origin !== own) return crossSite();
  const site = header("sec-fetch-site");
  if (site === undefined || site === "same-origin" || site === "none") return null;
  // Following a link from elsewhere opens a page and tells that site nothing.
  const isLink =
    method === "GET" && header("sec-fetch-mode") === "navigate" && header("sec-fetch-dest") === "document";
  return isLink ? null : crossSite();
}

function crossSite(): FootholdError {
  return refusal("A page of another site made this request.");
}

function refusal(message: string): FootholdError {
  return new FootholdError("NOT_LOOPBACK", message);
}
