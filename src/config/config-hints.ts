import { isJsonObject } from "../protocol/json-object.ts";
import { valueText } from "../protocol/problems.ts";

/** A hint for a configuration whose overall shape is wrong; null if the shape is right. */
export function shapeHint(input: unknown): string | null {
  if (input === undefined) return "the module has no default export: write `export default { … }`";
  if (Array.isArray(input)) return "it is an array: write an object, { … }";
  if (typeof input === "function")
    return "the module exports a function: export the object itself, `export default { … }`";
  if (!isJsonObject(input)) return null;
  const { app, apps, verify } = input;
  if (Array.isArray(app)) return 'several apps are a list: { "apps": [{ … }, { … }] }';
  if (isJsonObject(apps)) return 'apps is an array, [{ … }]; a single app can be written as "app": { … }';
  if (namesOfModules.some((name) => Object.hasOwn(input, name)))
    return `modules belong in the app's manifest: serve it at /manifest.json, or give its file: { "app": { "manifest": … } }`;
  if (typeof app === "string") return `write { "app": { "url": ${valueText(app)} } }`;
  const all = Array.isArray(apps) ? apps : [app];
  if (all.some((each) => isJsonObject(each) && Object.hasOwn(each, "port")))
    return 'write { "app": { "url": "http://127.0.0.1:3000" } }, with that port; { "port": … } is the port of the platform';
  if (Object.hasOwn(input, "secret"))
    return 'an app has two secrets: { "app": { "clientSecret": … } } for OAuth and JWTs, { "app": { "appSecret": … } } for webhooks';
  if (isJsonObject(verify) && typeof verify.oauth === "string")
    return `write { "verify": { "oauth": { "start": ${valueText(verify.oauth)} } } }`;
  return hasVariable(input)
    ? "JSON has no variables: environment variables that begin with APP_SIM_ set most of it, and a module, app-sim.config.mjs, can read any"
    : null;
}

/** Top-level names of a manifest. */
const namesOfModules = ["modules", "webhooks", "webhook", "guards", "auth-guard", "file-post-import"];

/** Whether a string of the configuration is a variable in another program's syntax: ${APP_URL}. */
function hasVariable(value: unknown, levels = LOOKED_LEVELS): boolean {
  if (typeof value === "string") return /\$\{\w+\}|^\$[A-Z_]+$/.test(value);
  if (typeof value !== "object" || value === null || levels === 0) return false;
  return Object.values(value).some((member) => hasVariable(member, levels - 1));
}

/** An exported object may be cyclic. */
const LOOKED_LEVELS = 5;
