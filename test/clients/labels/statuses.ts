/** HTTP statuses with no word beside them, through the clients that leave the status to their caller. */

import { label, type Label, type Shown } from "./label.ts";

const PLAIN = "fetch undici node:http axios got ky node-fetch gaxios";
/** What some clients are asked besides: the same table serves all of them. */
const THREE = "fetch node:http axios";
const BOTH: readonly Shown[] = ["unseen", "wire"];

/** The labels. */
export const STATUSES: readonly Label[] = [
  label(PLAIN, "answers 400", "POST", BOTH, "rejected no owner=input scope=case"),
  label(PLAIN, "answers 401", "POST", BOTH, "denied no access=refreshable owner=access scope=credential"),
  label(PLAIN, "answers 402", "POST", BOTH, "quota no owner=access scope=credential"),
  label(PLAIN, "answers 403", "POST", BOTH, "denied no access=scope owner=access scope=case"),
  label(PLAIN, "answers 404", "POST", BOTH, "gone no owner=operator scope=case"),
  label(PLAIN, "answers 405", "POST", BOTH, "bug no owner=developer"),
  label(PLAIN, "answers 409", "POST", BOTH, "conflict no owner=system scope=case"),
  label(PLAIN, "answers 410", "POST", BOTH, "gone no owner=operator"),
  label(PLAIN, "answers 412", "POST", BOTH, "precondition no owner=system"),
  label(PLAIN, "answers 413", "POST", BOTH, "rejected no owner=input"),
  label(PLAIN, "answers 422", "POST", BOTH, "rejected no owner=input scope=case"),
  label(PLAIN, "answers 423", "POST", BOTH, "transient no owner=system"),
  label(PLAIN, "answers 425", "POST", BOTH, "transient no owner=system"),
  label(PLAIN, "answers 428", "POST", BOTH, "bug no owner=developer"),
  label(PLAIN, "answers 429", "POST", BOTH, "throttled no owner=system scope=credential"),
  label(PLAIN, "answers 451", "POST", BOTH, "denied no access=blocked owner=access"),
  label(PLAIN, "answers 529", "POST", BOTH, "throttled no owner=system scope=destination"),
  label(THREE, "answers 406", "POST", "unseen", "bug no owner=developer"),
  label("node:http axios", "answers 407", "POST", "unseen", "denied no owner=operator scope=destination"),
  // fetch makes a network error of it.
  label("fetch", "answers 407", "POST", "unseen", "unknown maybe cause=transient"),
  label("fetch", "answers 407", "POST", "wire", "denied no owner=operator scope=destination"),
  label(THREE, "answers 411", "POST", "unseen", "bug no owner=developer"),
  label(THREE, "answers 414", "POST", "unseen", "bug no owner=developer"),
  label(THREE, "answers 415", "POST", "unseen", "bug no owner=developer"),
  label(THREE, "answers 420", "POST", "unseen", "throttled no"),
  label(THREE, "answers 421", "POST", "unseen", "transient no"),
  label(THREE, "answers 424", "POST", "unseen", "transient no"),
  label(THREE, "answers 431", "POST", "unseen", "bug no owner=developer"),
  label(THREE, "answers 501", "POST", "unseen", "bug no owner=developer"),
  label(THREE, "answers 505", "POST", "unseen", "bug no owner=developer"),
  label(THREE, "answers 511", "POST", "unseen", "denied no access=blocked owner=operator scope=destination"),
  label(THREE, "answers 521", "POST", "unseen", "transient no scope=destination"),
  label(THREE, "answers 523", "POST", "unseen", "transient no scope=destination"),
  label(THREE, "answers 525", "POST", "unseen", "bug no"),
  label(THREE, "answers 526", "POST", "unseen", "bug no"),

  // The answer of work that was done may be lost on its way: a write is not known, a read does nothing.
  label(PLAIN, "answers 500", "POST", BOTH, "unknown maybe cause=transient"),
  label(PLAIN, "answers 502", "POST", BOTH, "unknown maybe cause=transient"),
  label(PLAIN, "answers 503", "POST", BOTH, "unknown maybe cause=transient"),
  label(PLAIN, "answers 504", "POST", BOTH, "unknown maybe cause=transient"),
  label(PLAIN, "answers 500", "GET", "wire", "transient no owner=system"),
  label(PLAIN, "answers 502", "GET", "wire", "transient no owner=system"),
  label(PLAIN, "answers 503", "GET", "wire", "transient no owner=system"),
  label(PLAIN, "answers 504", "GET", "wire", "transient no owner=system"),
  label(THREE, "answers 408", "POST", "unseen", "unknown maybe cause=transient"),
  label(THREE, "answers 408", "GET", "wire", "transient no"),
  label(THREE, "answers 460", "POST", "unseen", "unknown maybe cause=stopped"),
  label(THREE, "answers 499", "POST", "unseen", "unknown maybe cause=stopped"),
  label(THREE, "answers 507", "POST", "unseen", "unknown maybe cause=transient owner=operator"),
  label(THREE, "answers 508", "POST", "unseen", "unknown maybe cause=bug"),
  label(THREE, "answers 520", "POST", "unseen", "unknown maybe cause=transient"),
  label(THREE, "answers 522", "POST", "unseen", "unknown maybe cause=transient"),
  label(THREE, "answers 524", "POST", "unseen", "unknown maybe cause=transient"),
  label(THREE, "answers 524", "GET", "wire", "transient no"),
  label(THREE, "answers 598", "POST", "unseen", "unknown maybe cause=transient"),
  label(THREE, "answers 599", "POST", "unseen", "unknown maybe cause=transient"),

  // A request that is redirected and not followed did nothing.
  label("undici node:http", "answers 307", "POST", "unseen", "bug no owner=developer"),
  // To see another page is what is said after work was done, and before a login.
  label("undici node:http", "answers 302", "POST", "unseen", "unknown maybe cause=bug owner=developer"),
  label("undici node:http", "answers 303", "POST", "unseen", "unknown maybe cause=bug owner=developer"),
  label("undici node:http", "answers 302", "GET", "wire", "bug no owner=developer"),

  // What is said of the last request says nothing of an earlier one whose answer was lost.
  label(THREE, "answers 401", "POST", "after a lost one", "unknown maybe cause=denied"),
  label(THREE, "answers 404", "POST", "after a lost one", "unknown maybe cause=gone"),
  label(THREE, "answers 409", "POST", "after a lost one", "unknown maybe cause=conflict"),
  label(THREE, "answers 412", "POST", "after a lost one", "unknown maybe cause=precondition"),
  label(THREE, "answers 422", "POST", "after a lost one", "unknown maybe cause=rejected"),
  label(THREE, "answers 429", "POST", "after a lost one", "unknown maybe cause=throttled"),
  label(THREE, "answers 503", "POST", "after a lost one", "unknown maybe cause=transient"),

  // The author swallowed everything and threw Error("failed"): the wire still knows.
  label("bare", "answers 201", "POST", "wire", "unknown yes cause=transient"),
  label("bare", "answers 202", "POST", "wire", "unknown maybe cause=transient"),
  label("bare", "answers 400", "POST", "wire", "rejected no owner=input"),
  label("bare", "answers 401", "POST", "wire", "denied no access=refreshable"),
  label("bare", "answers 403", "POST", "wire", "denied no access=scope"),
  label("bare", "answers 404", "POST", "wire", "gone no"),
  label("bare", "answers 409", "POST", "wire", "conflict no"),
  label("bare", "answers 412", "POST", "wire", "precondition no"),
  label("bare", "answers 422", "POST", "wire", "rejected no"),
  label("bare", "answers 429, after 37 s", "POST", "wire", "throttled no wait=37"),
  label("bare", "answers 500", "POST", "wire", "unknown maybe cause=transient"),
  label("bare", "answers 500", "GET", "wire", "transient no"),
  label("bare", "answers 503", "POST", "wire", "unknown maybe cause=transient"),
  label("bare", "answers 422", "POST", "unseen", "unknown maybe cause=transient owner=operator"),
  label("bare", "answers 200", "GET", "wire", "transient no"),

  // Headers beside a status.
  label(PLAIN, "answers 429, after 37 s", "POST", BOTH, "throttled no wait=37"),
  label(THREE, "answers 403, after 5 s", "POST", BOTH, "throttled no wait=5 scope=credential"),
  label(THREE, "answers 403, none remaining", "POST", BOTH, "throttled no wait=90"),
  label(THREE, "answers 403, a page of a firewall", "POST", BOTH, "denied no access=blocked owner=access"),
  label(THREE, "answers 413, after 5 s", "POST", BOTH, "throttled no wait=5"),
  label(THREE, "answers 503, after 5 s", "POST", BOTH, "transient no wait=5"),
  label(THREE, "answers 500, after 5 s", "POST", BOTH, "unknown maybe cause=transient wait=5"),
  label(THREE, "answers 401, scope too small", "POST", BOTH, "denied no access=scope scope=credential"),
  label(THREE, "answers 503, do not retry", "POST", BOTH, "unknown maybe cause=transient wait=never"),
].flat();
