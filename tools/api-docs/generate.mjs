import { register } from "node:module";
import { resolve } from "node:path";

// TypeDoc needs the JavaScript API of TypeScript, which TypeScript 7 does not have.
register("./use-typescript-6.mjs", import.meta.url);
const { Application, Converter, ReflectionKind } = await import("typedoc");

const root = resolve(import.meta.dirname, "../..");

/**
 * Writes the reference of the library as Markdown, from its docstrings.
 * @param {string} directory replaced as a whole
 */
async function generateApiDocs(directory) {
  const app = await Application.bootstrapWithPlugins({
    plugin: ["typedoc-plugin-markdown"],
    entryPoints: [resolve(root, "src/index.ts")],
    tsconfig: resolve(root, "tsconfig.json"),
    // `npm run build` checks the types.
    skipErrorChecking: true,
    name: "API reference",
    readme: "none",
    out: directory,
    logLevel: "Warn",
    // Line numbers would change these pages with every edit of a source.
    disableSources: true,
    excludeInternal: true,
    excludeExternals: true,
    hideBreadcrumbs: true,
    hidePageHeader: true,
    hideGenerator: true,
    entryFileName: "README",
    useCodeBlocks: true,
    typeDeclarationVisibility: "compact",
    interfacePropertiesFormat: "table",
    typeAliasPropertiesFormat: "table",
    parametersFormat: "table",
    tableColumnSettings: { hideInherited: true, hideOverrides: true, hideModifiers: true, hideSources: true },
  });
  // The zod schemas of results: what they say is in the types of the results.
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const schema of project.getReflectionsByKind(ReflectionKind.Variable)) project.removeReflection(schema);
  });
  const project = await app.convert();
  if (project === undefined) throw new Error("TypeDoc cannot read src/index.ts");
  await app.generateOutputs(project);
}

const [directory] = process.argv.slice(2);
if (directory === undefined) throw new Error("usage: node tools/api-docs/generate.mjs DIRECTORY");
await generateApiDocs(resolve(directory));
