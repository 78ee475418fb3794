/** Light or dark, as this browser shall have it. */

import type { JSX } from "react";
import { choose, useSettings, type Settings } from "./settings.ts";

/** The choice. */
export function ThemeChoice(): JSX.Element {
  const { theme } = useSettings();
  return (
    <label>
      Theme
      <select value={theme} onChange={({ target }) => choose({ theme: themeOf(target.value) })}>
        <option value="auto">Auto</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </select>
    </label>
  );
}

function themeOf(value: string): Settings["theme"] {
  return value === "light" || value === "dark" ? value : "auto";
}
