import { isJsonObject } from "../protocol/json-object.ts";
import { isHttpUrl } from "../protocol/url.ts";
import {
  foreignPatterns,
  type ManifestProblem,
  misspeltEvents,
  programPatterns,
  unknownKeys,
} from "./manifest-problems.ts";
import { entrySchemas, type ModuleType } from "./manifest-schemas.ts";

/** Members that belong under `options`, not directly in a guard. */
const optionNames = ["type", "applyToAdmins"];

/** Names by which a page's address is wrongly given directly in a guard. */
const pageNames = ["page", "pageUrl", "page_url"];

/** What is odd about a valid module entry (interface 2.1). */
export function entryWarnings(type: ModuleType, entry: unknown, path: string): ManifestProblem[] {
  if (!isJsonObject(entry)) return [];
  const { url, options, signaturePatterns } = entry;
  const warnings = unknownKeys(entry, Object.keys(entrySchemas[type].shape), path).map((warning) => {
    if (type === "auth-guard" && pageNames.some((name) => warning.path === `${path}.${name}`)) {
      return {
        ...warning,
        message: "is not part of the interface; ignored. The address of a guard's page is options.url",
      };
    }
    const option = type === "auth-guard" && optionNames.find((name) => warning.path === `${path}.${name}`);
    if (!option) return warning;
    const isThere = isJsonObject(options) && option in options;
    const kind = isThere ? warning.kind : ("slip" as const);
    return { ...warning, kind, message: "is ignored here: it belongs under options" };
  });
  if (typeof url === "string" && isHttpUrl(url)) {
    const message = "is absolute; the interface says relative to app_base_url. It is used unchanged";
    warnings.push({ path: `${path}.url`, message, kind: "unusual" });
  }
  if (type === "auth-guard" && isJsonObject(options)) {
    warnings.push(...unknownKeys(options, ["type", "applyToAdmins", "url"], `${path}.options`));
  }
  if (type === "webhook")
    warnings.push(...misspeltEvents(Array.isArray(entry.events) ? entry.events : [], `${path}.events`));
  if (type === "file-post-import" && isJsonObject(signaturePatterns)) {
    warnings.push(...foreignPatterns(signaturePatterns, `${path}.signaturePatterns`));
    warnings.push(...programPatterns(signaturePatterns, `${path}.signaturePatterns`));
    warnings.push(...unknownKeys(signaturePatterns, ["fileName", "fileContent"], `${path}.signaturePatterns`));
  }
  return warnings;
}
