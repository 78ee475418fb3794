import { describe, expect, test } from "vitest";
import { PRESETS } from "./presets.ts";

const DAY_MS = 86_400_000;

describe.each(Object.entries(PRESETS))("the preset %s", (name, preset) => {
  test("is data, which threads can be handed, and says when it was compared with the provider's pages", () => {
    expect(structuredClone(preset)).toEqual(preset);
    expect(preset.name).toBe(name);
    expect(preset.checkedOn).toMatch(/^20\d\d-\d\d-\d\d$/);
    expect(Number.isNaN(Date.parse(preset.checkedOn))).toBe(false);
  });

  test("has a proof and a type of event, and bounds that a source may have", () => {
    expect(preset.schemes.length).toBeGreaterThan(0);
    expect(preset.eventType.length).toBeGreaterThan(0);
    expect(preset.bodyBytesMax).toBeLessThanOrEqual(25 * 1024 * 1024);
    expect(preset.resendsWithinMs).toBeLessThanOrEqual(400 * DAY_MS);
    expect(preset.accepted.status).toBeGreaterThanOrEqual(200);
    expect(preset.accepted.status).toBeLessThan(300);
  });
});
