/** Where the console is served. Known only at run time: its own script lies in `assets/` below that path. */

const here = import.meta.url;

/** The path that every address of the console begins with; ends with a slash. */
export const basePath: string = new URL("../", here).pathname;
