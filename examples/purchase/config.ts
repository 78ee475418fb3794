/** What the `foothold` command knows of this example: `foothold.config.mjs` of the repository passes it on. */

import { defineConfig, type FootholdConfig } from "foothold";
import { definePurchase } from "./purchase.ts";

// Where `npm start` puts the two systems. Only a worker calls them; listing and approving needs neither.
const erpUrl = process.env["ERP_URL"] ?? "http://127.0.0.1:4681";
const mailUrl = process.env["MAIL_URL"] ?? "http://127.0.0.1:4682";

export const config: FootholdConfig = defineConfig({ cases: [definePurchase({ erpUrl, mailUrl })] });
