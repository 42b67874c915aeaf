import path from "node:path";

/**
 * Keeps `new URL("../x", import.meta.url)` of a source file true in the bundle, where its code is in `folder`.
 * @param {string} folder
 * @returns {import("rolldown").Plugin}
 */
export function packageFiles(folder) {
  return {
    name: "package-files",
    transform: {
      filter: { id: /[\\/]src[\\/]/, code: "import.meta.url" },
      handler(code, id) {
        return code.replace(/new URL\("(\.[^"]*)", import\.meta\.url\)/g, (_, relative) => {
          const target = path.relative(path.resolve(folder), path.resolve(path.dirname(id), relative));
          const ending = relative.endsWith("/") ? "/" : "";
          return `new URL("${target.replaceAll(path.sep, "/")}${ending}", import.meta.url)`;
        });
      },
    },
  };
}
