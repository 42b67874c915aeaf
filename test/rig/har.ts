import { createRequire } from "node:module";
import { Ajv } from "ajv";

const require = createRequire(import.meta.url);

/** What is wrong with an HTTP archive by the JSON Schemas of HAR 1.2. */
export function harProblems(har: unknown): string[] {
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
  ajv.addMetaSchema(require("ajv/dist/refs/json-schema-draft-06.json"));
  const schemas = Object.values<{ readonly $id: string }>(require("har-schema"));
  for (const schema of schemas) ajv.addSchema(schema);
  const validate = ajv.getSchema("har.json#");
  if (validate === undefined) throw new Error("no schema of archives");
  if (validate(har) === true) return [];
  return validate.errors?.map(({ instancePath, message }) => `${instancePath} ${message}`) ?? [];
}
