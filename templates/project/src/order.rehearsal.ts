/** Every crash, lost answer, late worker and refusal that the case can meet: `npm run rehearse`. */

import { defineRehearsal, type Rehearsal } from "foothold/testing";
import { order } from "./order.js";
import { startShop } from "./stand-in.js";

const shop = await startShop(0);
process.env["SHOP_URL"] = shop.url;

const rehearsal: Rehearsal = defineRehearsal(order, {
  input: { item: "desk", price: 480 },
  approvals: { approve: null },
  finish: () => shop.stop(),
});

export default rehearsal;
