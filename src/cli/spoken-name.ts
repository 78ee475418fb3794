/** How a person calls this program, so that a command that is printed can be copied and run as it stands. */

/** `npx foothold` where npx started it: it is then most likely not on the path. Else `foothold`. */
export const SPOKEN_NAME: string = process.env["npm_command"] === "exec" ? "npx foothold" : "foothold";
