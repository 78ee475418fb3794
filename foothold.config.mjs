// Read by the `foothold` command when it is run in this folder: the example, as `npm start` has built it.
export { config as default } from "./build/examples/purchase/config.js";
