import { defaultConfig } from "../config/default-world.ts";
import { mergeLayers } from "../config/layers.ts";

/** The settings that every configuration has, as `app-sim config` names them. */
export function settingPaths(): string[] {
  return [...mergeLayers([{ origin: "default", value: defaultConfig }]).origins.keys()];
}
