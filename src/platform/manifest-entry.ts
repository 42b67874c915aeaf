import { isJsonObject } from "../protocol/json-object.ts";
import { isHttpUrl } from "../protocol/url.ts";
import type { Problem } from "../protocol/usage-error.ts";
import { misplacedMembers, moduleMembers } from "./manifest-members.ts";
import {
  foreignPatterns,
  type ManifestProblem,
  misspeltEvents,
  programPatterns,
  unknownKeys,
} from "./manifest-problems.ts";
import type { ModuleType } from "./manifest-schemas.ts";

/** Names by which a page's address is wrongly given directly in a guard. */
const pageNames = ["page", "pageUrl", "page_url"];

const PAGE_ADDRESS = "is not part of the interface; ignored. The address of a guard's page is options.url";

/** What is odd about a valid module entry (interface 2.1). */
export function entryWarnings(type: ModuleType, entry: unknown, path: string): ManifestProblem[] {
  if (!isJsonObject(entry)) return [];
  const { url, signaturePatterns } = entry;
  const { own, within } = moduleMembers(type);
  const elsewhere = new Map<string, string>([
    ...(type === "auth-guard" ? pageNames : []).map((name) => [`${path}.${name}`, PAGE_ADDRESS] as const),
    ...[...within].flatMap(([place, names]) =>
      names.map((name) => [`${path}.${name}`, `is ignored here: ${place}.${name} counts`] as const),
    ),
  ]);
  const unknown = unknownKeys(entry, own, path).map((warning) => ({
    ...warning,
    message: elsewhere.get(warning.path) ?? warning.message,
  }));
  const inner = [...within].flatMap(([place, names]) =>
    isJsonObject(entry[place]) ? unknownKeys(entry[place], names, `${path}.${place}`) : [],
  );
  const warnings = withPlaces([...unknown, ...inner], misplacedMembers(type, entry, path));
  if (typeof url === "string" && isHttpUrl(url)) {
    const message = "is absolute; the interface says relative to app_base_url. It is used unchanged";
    warnings.push({ path: `${path}.url`, message, kind: "unusual" });
  }
  if (type === "webhook")
    warnings.push(...misspeltEvents(Array.isArray(entry.events) ? entry.events : [], `${path}.events`));
  if (type === "file-post-import" && isJsonObject(signaturePatterns)) {
    warnings.push(...foreignPatterns(signaturePatterns, `${path}.signaturePatterns`));
    warnings.push(...programPatterns(signaturePatterns, `${path}.signaturePatterns`));
  }
  return warnings;
}

/** The warnings, with the right place of each misplaced member. */
function withPlaces(warnings: readonly ManifestProblem[], misplaced: readonly Problem[]): ManifestProblem[] {
  const placed = misplaced.map(({ path, message }) => ({
    path,
    message: `is ignored here: it ${message}`,
    kind: SLIP,
  }));
  return [...warnings.filter(({ path }) => !placed.some((each) => each.path === path)), ...placed];
}

const SLIP = "slip" as const;
