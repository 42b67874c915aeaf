import { withComments } from "../config/commented-json.ts";
import { NEW_CONFIG_NAME } from "../config/config-file.ts";
import { jsonText } from "../output/json.ts";

/** The formats in which `init` can write a config file, and the name of the file in each. */
export const configNames = {
  json: NEW_CONFIG_NAME,
  yaml: "app-sim.config.yaml",
  ts: "app-sim.config.ts",
} as const;

/** The format of a config file that `init` writes. */
export type ConfigFormat = keyof typeof configNames;

type Comment = readonly [path: string[], comment: string];

const comments: readonly Comment[] = [
  [["app"], "Your app. It may have a clientId, clientSecret and appSecret of its own."],
  [["app", "manifest"], "The file of its manifest; without this, app-sim fetches /manifest.json from the app."],
  [["app", "redirectUris"], "Where users may be redirected after an OAuth login."],
  [["port"], "The port of the platform, as in .env."],
  [["tls"], "The platform is served over TLS, as in .env."],
  [["publicUrl"], "Where apps and browsers reach the platform, as in .env."],
  [["login"], "Who logs in, and from where, unless --user and --ip say otherwise."],
  [["verify"], "What app-sim verify cannot find out by itself."],
  [["verify", "guards"], "Whom each guard lets in, whom it denies, and how to pass its page."],
  [["verify", "oauth"], "The page of your app that starts an OAuth login."],
  [["verify", "fixtures"], "Jobs to test your imports with."],
];

const SCHEMA = "./node_modules/app-sim/fixtures/config.schema.json";
const OWN_SCHEMA = "./app-sim.config.schema.json";
const howToGetSchema = (reference: string): Comment[] =>
  [
    "For help on each setting in your editor, write the schema to a file:",
    "app-sim config --schema > app-sim.config.schema.json",
    reference,
  ].map((line) => [["app"], line]);

/**
 * The text of a config file, with a comment on each part, and a reference to the schema for editors.
 * @param hasSchema whether the schema is at the usual place below `node_modules`
 */
export function configText(format: ConfigFormat, settings: object, hasSchema: boolean): string | Promise<string> {
  if (format === "yaml") return yamlText(settings, hasSchema);
  return format === "ts" ? moduleText(settings) : jsonFileText(settings, hasSchema);
}

function jsonFileText(settings: object, hasSchema: boolean): string {
  const text = jsonText({ ...(hasSchema ? { $schema: SCHEMA } : {}), ...settings });
  return withComments(text, [
    [["$schema"], "With this, editors explain and complete each setting."],
    ...(hasSchema ? [] : howToGetSchema(`"$schema": "${OWN_SCHEMA}",`)),
    ...comments,
  ]);
}

/** Editors explain and complete each setting by the types of `defineConfig`. */
function moduleText(settings: object): string {
  const text = withComments(jsonText(settings).trimEnd(), comments);
  const object = text.replace(/^(\s*)"([A-Za-z_]\w*)":/gm, "$1$2:").replace(/([^{[,\s])(?=\n\s*[}\]])/g, "$1,");
  return `import { defineConfig } from ${JSON.stringify("app-sim")};\n\nexport default defineConfig(${object});\n`;
}

async function yamlText(settings: object, hasSchema: boolean): Promise<string> {
  const { commentedYaml } = await import("../config/commented-yaml.ts");
  const reference = `yaml-language-server: $schema=${hasSchema ? SCHEMA : OWN_SCHEMA}`;
  if (hasSchema) return commentedYaml(settings, comments, reference);
  return commentedYaml(settings, [...howToGetSchema(`# ${reference}`), ...comments], "");
}
