import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";

/**
 * What stands in for whole packages.
 * @type {Record<string, string>}
 */
const facades = {
  // To import it, Node opens all three standard streams, whichever of them is used.
  "node:process": `
    export default globalThis.process;
    export const { cwd, env, platform, version } = globalThis.process;`,
  // All of undici is half a megabyte more to load, in every command that calls the app.
  undici: `
    export { default as Client } from "undici/lib/dispatcher/client.js";
    export { default as buildConnector } from "undici/lib/core/connect.js";
    // Cheerio names these for pages that it would fetch itself, which is never asked of it.
    export const [errors, interceptors] = [];`,
  // A scale of ours leads from numbers to numbers, and its ticks have words of our own.
  "d3-interpolate": `
    export const interpolate = (from, to) => (part) => from * (1 - part) + to * part;
    export { interpolate as interpolateNumber, interpolate as interpolateRound };
    export const piecewise = undefined;`,
  "d3-format": `
    export const [format, formatPrefix, formatSpecifier] = [];
    export const [precisionFixed, precisionPrefix, precisionRound] = [];`,
};

/** What fastify's own options are if they are not given. */
const [, serverOptions] =
  /^module\.exports\.defaultInitOptions = (.+)$/m.exec(
    readFileSync("node_modules/fastify/lib/config-validator.js", "utf8"),
  ) ?? [];

/**
 * Files that are never used, by the end of their paths, and what they have instead.
 * @type {Record<string, string>}
 */
const unused = {
  // HTTP/2 is never offered to an app, and no form data is given to undici.
  "undici/lib/dispatcher/client-h2.js": "module.exports = undefined;",
  "undici/lib/web/fetch/body.js": "module.exports = {};",
  // The server writes no log, and no request is made up for it.
  "fastify/lib/logger-pino.js": "module.exports = {};",
  // No route has a JSON schema: zod reads what is sent.
  "@fastify/ajv-compiler/index.js": "module.exports = () => undefined;",
  "@fastify/fast-json-stringify-compiler/index.js": "module.exports = () => undefined;",
  "light-my-request/index.js": "module.exports = undefined;",
  // The options of the server are right.
  "fastify/lib/config-validator.js": `
    // Each server freezes its own.
    const defaults = () => (${serverOptions});
    module.exports = (options) => {
      for (const [name, value] of Object.entries(defaults())) options[name] ??= value;
      return true;
    };
    module.exports.defaultInitOptions = defaults();`,
  // The server trusts no proxy, and prints no routes; no route has a regular expression.
  "@fastify/proxy-addr/index.js": "module.exports = undefined;",
  "find-my-way/lib/pretty-print.js": "module.exports = {};",
  "safe-regex2/index.js": "module.exports = () => true;",
  // Connects Ink to the developer tools of React, which are another package.
  "ink/build/devtools.js": "",
  // Messages in fifty languages, of which English is set by zod itself.
  "zod/v4/locales/index.js": 'export { default as en } from "./en.js";',
};

/** The texts whose columns are their characters, as the sources say it. */
const [, narrow] = /^const narrow = (.+);$/m.exec(readFileSync("src/output/layout.ts", "utf8")) ?? [];

/** Node's assertions take long to load: here only those that fail get them. */
const assertLate = /** @type {const} */ ([
  "const assert = require('node:assert')",
  "const assert = (value, message) => { if (!value) require('node:assert')(value, message) }",
]);

const stringWidth = readFileSync("node_modules/string-width/index.js", "utf8");

/**
 * Changes to string-width that build one of its regular expressions when it is first used.
 * @param {string} name
 * @param {readonly string[]} uses
 * @returns {(readonly [from: string, to: string])[]}
 */
function madeLate(name, uses) {
  const declaration = new RegExp(`^const ${name} = /(.+)/([a-z]+);$`, "m");
  // Where there is none, the error names what was looked for.
  const [declared = declaration.source, source = "", flags] = declaration.exec(stringWidth) ?? [];
  const made = `(${name} ??= new RegExp(String.raw\`${source}\`, "${flags}"))`;
  return [
    [declared, `let ${name};`],
    ...uses.map((use) => /** @type {const} */ ([use, use.replace(name, () => made)])),
  ];
}

/**
 * Changes to single files, by the end of their paths: what is replaced has to be there.
 * @type {Record<string, readonly (readonly [from: string, to: string])[]>}
 */
const changes = {
  // No command of ours is a program of its own, which commander would start.
  "commander/lib/command.js": [["require('node:child_process')", "undefined"]],
  // Its WebAssembly is in the file itself; to fetch it from there loads the HTTP client of Node.
  "yoga-layout/dist/binaries/yoga-wasm-base64-esm.js": [
    ['return w||"function"!=typeof fetch?Promise.resolve()', "return true?Promise.resolve()"],
  ],
  // The HTTP client of Node, loaded for a limit that ours are given, and for a class of answers that undici is never given.
  "undici/lib/dispatcher/client.js": [assertLate, ["const http = require('node:http')", "const http = undefined"]],
  "undici/lib/dispatcher/client-h1.js": [assertLate],
  "undici/lib/core/connect.js": [assertLate],
  "undici/lib/core/request.js": [assertLate],
  "undici/lib/core/util.js": [
    assertLate,
    ["const { IncomingMessage } = require('node:http')\n", ""],
    ["Object.getPrototypeOf(stream).constructor === IncomingMessage", "false"],
    // No Blob is given to undici; to ask for the class loads it, and the streams of the web.
    ["} else if (object instanceof Blob) {\n    return true\n", ""],
  ],
  // HTTP/2 is never served, and TLS seldom; the server listens at one address, which is no name.
  "fastify/lib/server.js": [
    ["const http2 = require('node:http2')", ""],
    ["const https = require('node:https')", ""],
    ["? https.createServer(", "? require('node:https').createServer("],
    ["const dns = require('node:dns')", ""],
    ["  dns.lookup(", "  require('node:dns').lookup("],
    ["const os = require('node:os')", ""],
    ["os.networkInterfaces()", "require('node:os').networkInterfaces()"],
  ],
  // No plugin of ours says which version of fastify it needs.
  "fastify/lib/plugin-utils.js": [assertLate, ["const semver = require('semver')", "const semver = undefined"]],
  "find-my-way/index.js": [assertLate],
  "find-my-way/lib/constrainer.js": [assertLate],
  "find-my-way/lib/strategies/accept-host.js": [assertLate],
  "find-my-way/lib/strategies/accept-version.js": [assertLate],
  // A terminal's columns are counted by every command, letters that are not Latin by few: what these need is made then.
  // The signs of the reports need none of it. V8 builds the sets of a regular expression when it reads the file.
  "string-width/index.js": [
    ["if (/^[\\u0020-\\u007E]*$/.test(", `if ((ambiguousIsNarrow ? ${narrow} : /^[ -~]*$/).test(`],
    ["const segmenter = new Intl.Segmenter();", "let segmenter;"],
    ["of segmenter.segment(", "of (segmenter ??= new Intl.Segmenter()).segment("],
    ...madeLate("rgiEmojiRegex", ["rgiEmojiRegex.test("]),
    ...madeLate("visibleCharacterRegex", ["segment.search(visibleCharacterRegex", "!visibleCharacterRegex.test("]),
    ...madeLate("spacingMarkRegex", ["spacingMarkRegex.test("]),
    ...madeLate("extendedPictographicRegex", ["segment.match(extendedPictographicRegex"]),
  ],
  // Compiling a schema takes longer than most commands use it; the setting would be that of every zod in the process.
  "zod/v4/core/core.js": [
    ["export const globalConfig = globalThis.__zod_globalConfig", "export const globalConfig = { jitless: true }"],
  ],
};

/** Packages whose build for Node is one piece; that of modules can be taken apart. */
const moduleBuilds = /^(@peculiar\/asn1-(schema|x509)|asn1js|pvutils|pvtsutils|jsonc-parser)$/;

/** @param {string} name of a package */
function moduleBuildOf(name) {
  const file = createRequire(import.meta.url).resolve(`${name}/package.json`);
  return path.join(path.dirname(file), createRequire(import.meta.url)(file).module);
}

/**
 * Bundles only the parts of some packages that are used, where the packages do not let a bundler find that out.
 * @returns {import("rolldown").Plugin}
 */
export function partsOfPackages() {
  return {
    name: "parts-of-packages",
    resolveId: {
      filter: { id: [/^(node:process|undici|d3-interpolate|d3-format)$/, moduleBuilds] },
      handler: (id, _importer, { kind }) => {
        if (id === "node:process" && kind === "require-call") return null;
        return moduleBuilds.test(id) ? { id: moduleBuildOf(id), moduleSideEffects: false } : `\0facade:${id}`;
      },
    },
    load: {
      filter: {
        id: [
          /^\0facade:/,
          /[\\/](undici|ink|yoga-layout|commander|zod|string-width|fastify|light-my-request|ajv-compiler|fast-json-stringify-compiler|find-my-way|proxy-addr|safe-regex2)[\\/].*\.js$/,
        ],
      },
      async handler(id) {
        const facade = facades[id.replace("\0facade:", "")];
        if (facade !== undefined) return { code: facade, moduleType: "js" };
        const file = id.replaceAll("\\", "/").split("/node_modules/").at(-1) ?? "";
        if (unused[file] !== undefined) return { code: unused[file], moduleType: "js" };
        if (changes[file] === undefined) return null;
        let code = await readFile(id, "utf8");
        for (const [from, to] of changes[file]) {
          if (!code.includes(from)) throw new Error(`${file} has no ${from} any more: see build/parts-of-packages.mjs`);
          code = code.replace(from, () => to);
        }
        return { code, moduleType: "js" };
      },
    },
  };
}
