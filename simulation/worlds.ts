/** Every world, by its name. */

import { LEVELS_WORLD } from "./levels.ts";
import { MAIN_WORLD, type World } from "./world.ts";

export const WORLDS: Readonly<Record<World["name"], World>> = { main: MAIN_WORLD, levels: LEVELS_WORLD };

/** The one of that name; null = there is none. */
export function worldNamed(name: string): World | null {
  return Object.values(WORLDS).find((one) => one.name === name) ?? null;
}
