import { defineConfig } from "foothold";
import { order } from "./dist/order.js";

export default defineConfig({ cases: [order] });
