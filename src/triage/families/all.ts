/** Every family, in the order in which they are asked: the first that recognizes an error or an answer has it. */

import { anthropic } from "./anthropic.ts";
import { aws } from "./aws.ts";
import { azure } from "./azure.ts";
import type { Family } from "./family.ts";
import { foothold } from "./foothold.ts";
import { github } from "./github.ts";
import { google } from "./google.ts";
import { got } from "./got.ts";
import { grpc } from "./grpc.ts";
import { hubspot } from "./hubspot.ts";
import { kafka } from "./kafka.ts";
import { mongo } from "./mongo.ts";
import { mysql } from "./mysql.ts";
import { openai } from "./openai.ts";
import { plain } from "./plain.ts";
import { postgres } from "./postgres.ts";
import { redis } from "./redis.ts";
import { salesforce } from "./salesforce.ts";
import { shopify } from "./shopify.ts";
import { slack } from "./slack.ts";
import { smtp } from "./smtp.ts";
import { stripe } from "./stripe.ts";
import { twilio } from "./twilio.ts";

/** The families. The one that knows only what everybody says is the last. */
export const FAMILIES: readonly Family[] = [
  // Those whose errors have a shape of their own.
  foothold,
  slack,
  github,
  aws,
  azure,
  twilio,
  salesforce,
  shopify,
  smtp,
  kafka,
  mongo,
  redis,
  mysql,
  postgres,
  grpc,
  got,
  // Those that are known by what their servers answer.
  google,
  hubspot,
  anthropic,
  stripe,
  openai,
  plain,
];
