import { guardEntry } from "../../rig/fake-app.ts";

/** One guard of each type, as a manifest declares them. */
export const direct = guardEntry("office");
export const redirect = withPage("terms", "redirect");
export const frame = withPage("presence", "frame");

function withPage(key: string, type: "redirect" | "frame") {
  return { ...guardEntry(key), options: { type, url: `/${key}/page` } };
}
