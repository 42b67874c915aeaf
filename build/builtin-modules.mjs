import { isBuiltin } from "node:module";

/**
 * @typedef {ReturnType<import("rolldown").PluginContext["parse"]>["body"][number]} Statement
 * @typedef {Extract<Statement, { type: "ImportDeclaration" }>} Import
 */

/**
 * Modules that Node takes long to load, and those of their functions that most commands never call: a module is loaded at
 * the first call.
 * @type {Record<string, readonly string[]>}
 */
const seldomCalled = {
  "node:dns": ["lookup"],
  "node:os": ["homedir", "platform", "release", "tmpdir"],
  "node:perf_hooks": ["createHistogram"],
  "node:readline/promises": ["createInterface"],
  "node:v8": ["setFlagsFromString"],
  "node:zlib": ["createGunzip", "gunzipSync", "gzipSync"],
};

/**
 * Gets Node's own modules by a call in place of imports. To import one, Node makes a module of it, which reads each of
 * its exports: that loads what nobody asked for, such as the cryptography of the web with `node:crypto`.
 * @returns {import("rolldown").Plugin}
 */
export function builtinModules() {
  return {
    name: "builtin-modules",
    renderChunk(code) {
      const imports = this.parse(code).body.flatMap((node) =>
        node.type === "ImportDeclaration" && isBuiltin(node.source.value) ? [node] : [],
      );
      if (imports.length === 0) return null;
      let rest = code;
      for (const { start, end } of imports.toReversed()) rest = rest.slice(0, start) + rest.slice(end);
      const constants = imports.flatMap((node) => constantsOf(node, code));
      // Some versions of Node 22 have no `getBuiltinModule`.
      return `import { createRequire as requireFrom } from "node:module";
const builtinModule = process.getBuiltinModule ?? requireFrom(import.meta.url);
${constants.join("\n")}
${rest}`;
    },
  };
}

/**
 * @param {Import} node
 * @param {string} code
 */
function constantsOf({ source, specifiers }, code) {
  const load = `builtinModule("${source.value}")`;
  const seldom = seldomCalled[source.value];
  return specifiers.map((specifier) => {
    const { local } = specifier;
    if (specifier.type !== "ImportSpecifier") {
      if (seldom === undefined) return `const ${local.name} = ${load};`;
      return `const ${local.name} = new Proxy({}, { get: (_, name) => ${load}[name] });`;
    }
    const imported = code.slice(specifier.imported.start, specifier.imported.end);
    if (!seldom?.includes(imported)) return `const { ${imported}: ${local.name} } = ${load};`;
    return `const ${local.name} = (...given) => ${load}.${imported}(...given);`;
  });
}
