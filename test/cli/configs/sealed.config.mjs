import { defineConfig } from "foothold";
import { aesGcm } from "foothold/postgres";
import config from "./foothold.config.mjs";

const ids = (process.env["TEST_KEY_IDS"] ?? "").split(",");
const keys = ids.map((id) => ({ id, secret: Buffer.alloc(32, id) }));

export default defineConfig({ ...config, codec: aesGcm({ keys }) });
