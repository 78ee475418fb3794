/** What mail servers and gRPC servers answer. */

import { label, type Label } from "./label.ts";

function rows(
  client: string,
  table: readonly (readonly [what: string, verdict: string])[],
): readonly Label[] {
  return table.flatMap(([what, verdict]) => label(client, what, "write", "unseen", verdict));
}

/** The labels. */
export const MAIL_AND_RPC: readonly Label[] = [
  // The first digit tells the class. The waits are those of RFC 5321 and of greylists.
  rows("nodemailer", [
    ["port closed", "transient no scope=destination"],
    ["greeting: 421 4.3.2", "transient no wait=300"],
    ["greeting: silent", "transient no scope=destination"],
    ["greeting: 554 5.7.1", "denied no access=blocked owner=access"],
    ["AUTH: 535 5.7.8", "denied no access=revoked owner=access scope=credential"],
    ["AUTH: 534 5.7.9", "denied no access=revoked owner=access"],
    ["MAIL: 530 5.7.0", "denied no access=revoked owner=access"],
    ["MAIL: 503 5.5.1", "transient no wait=60"],
    ["RCPT: 450 4.2.0", "transient no wait=900"],
    ["RCPT: 451 4.7.1", "transient no wait=900"],
    ["RCPT: 452 4.5.3", "transient no wait=900"],
    ["RCPT: 422 4.2.2", "transient no wait=900"],
    ["RCPT: 550 5.1.1", "rejected no owner=input"],
    ["RCPT: 553 5.1.3", "rejected no owner=input"],
    ["RCPT: 550 5.7.1", "denied no access=blocked owner=access"],
    ["RCPT: 554 5.7.1", "denied no access=blocked owner=access"],
    ["RCPT: 552 5.2.2", "transient no wait=14400"],
    ["RCPT: 550 5.4.5", "quota no owner=access"],
    ["end of DATA: 451 4.3.0", "transient no wait=900"],
    ["end of DATA: 554 5.6.0", "rejected no owner=input"],
    ["end of DATA: closed", "unknown maybe cause=transient"],
    ["end of DATA: silent", "unknown maybe cause=transient"],
    // nodemailer says the same of a connection that was lost before the message and of one lost after it.
    ["MAIL: closed", "unknown maybe cause=transient"],
  ]),
  rows("grpc", [
    ["1", "unknown maybe cause=stopped"],
    ["2", "unknown maybe cause=transient"],
    ["3", "rejected no owner=input"],
    ["4", "unknown maybe cause=transient"],
    ["5", "gone no owner=operator"],
    ["6", "conflict no owner=system"],
    ["7", "denied no access=scope owner=access"],
    ["8", "throttled no owner=system"],
    ["9", "precondition no owner=system"],
    ["10", "transient no owner=system"],
    ["11", "rejected no owner=input"],
    ["12", "bug no owner=developer"],
    ["13", "unknown maybe cause=transient"],
    ["14", "unknown maybe cause=transient"],
    ["15", "unknown maybe cause=bug"],
    ["16", "denied no access=refreshable owner=access scope=credential"],
    ["8 with RetryInfo", "throttled no wait=7.5"],
    ["8 with QuotaFailure alone", "quota no owner=access"],
    ["14, pushback soon", "unknown maybe cause=transient wait=never"],
    ["14, pushback -1", "unknown maybe cause=transient wait=never"],
    ["14, pushback 1500", "unknown maybe cause=transient wait=1.5"],
    // Nothing but words tells that no connection was there.
    ["port closed", "unknown maybe cause=transient"],
  ]),
  rows("gax", [
    ["3", "rejected no owner=input"],
    ["5", "gone no owner=operator"],
    ["6", "conflict no owner=system"],
    ["7", "denied no access=scope owner=access"],
    ["8 with RetryInfo", "throttled no wait=7.5"],
    ["8 with QuotaFailure alone", "quota no owner=access"],
    ["9", "precondition no owner=system"],
    ["14", "unknown maybe cause=transient"],
    ["16", "denied no access=refreshable scope=credential"],
  ]),
].flat();
