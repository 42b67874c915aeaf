import { isBuiltin } from "node:module";

/**
 * @typedef {ReturnType<import("rolldown").PluginContext["parse"]>["body"][number]} Statement
 * @typedef {Extract<Statement, { type: "ImportDeclaration" }>} Import
 */

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
  const whole = specifiers.filter(({ type }) => type !== "ImportSpecifier").map(({ local }) => local.name);
  const parts = specifiers.flatMap((specifier) => {
    if (specifier.type !== "ImportSpecifier") return [];
    const { imported, local } = specifier;
    return [`${code.slice(imported.start, imported.end)}: ${local.name}`];
  });
  const targets = parts.length === 0 ? whole : [...whole, `{ ${parts.join(", ")} }`];
  return targets.map((target) => `const ${target} = builtinModule("${source.value}");`);
}
