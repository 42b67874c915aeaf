/**
 * Bundles only the parts of some packages that are used, where the packages do not let a bundler find that out.
 * @type {Record<string, string>}
 */
const parts = {
  // All of undici is half a megabyte more to load, in every command that calls the app.
  undici: `
    export { default as Client } from "undici/lib/dispatcher/client.js";
    export { default as buildConnector } from "undici/lib/core/connect.js";
    // Cheerio names these for pages that it would fetch itself, which is never asked of it.
    export const [errors, interceptors] = [];`,
  // Connects Ink to the developer tools of React, which are another package.
  "./devtools.js": "",
};

/** @returns {import("rolldown").Plugin} */
export function partsOfPackages() {
  return {
    name: "parts-of-packages",
    resolveId: {
      filter: { id: /^(undici|\.\/devtools\.js)$/ },
      handler: (id) => `\0parts:${id}`,
    },
    load: {
      filter: { id: /^\0parts:/ },
      handler: (id) => ({ code: parts[id.slice("\0parts:".length)] ?? "", moduleType: "js" }),
    },
  };
}
