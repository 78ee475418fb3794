/** `foothold/dev`: what `foothold dev` runs, inside a program of yours. */

export { startDev, type Dev, type DevOptions } from "./cli/dev.ts";
