import { madeTwice } from "../protocol/json-slip.ts";
import { isSlipOf, nearestName } from "../protocol/nearest.ts";
import { patternProblem, programSpelling } from "../protocol/pattern-syntax.ts";
import { slippedEvent } from "../protocol/webhook.ts";

/** Something wrong with a manifest that does not stop any of it from being used. */
export interface ManifestProblem {
  /** Where, as in {@link Problem}. */
  readonly path: string;
  readonly message: string;
  /**
   * `slip`: certainly a mistake, such as a misspelt name, or a pattern that is valid in no language; `unknown`: a
   * member that the interface does not have, but another deployment may; `suspect`: a name that an app may choose, but
   * that resembles one of the interface, or an unused address; only `app-sim manifest` reports these; `unusual`:
   * anything else.
   */
  readonly kind: "slip" | "unknown" | "suspect" | "unusual";
}

export function warningText({ path, message }: Pick<ManifestProblem, "path" | "message">): string {
  return path === "" ? message : `manifest: ${path} ${message}`;
}

/** The message for a manifest that is not an object. */
export function noObject(written: unknown): string {
  const twice = madeTwice(written);
  return `must be a JSON object with a top-level object \`modules\`${twice === null ? "" : `; ${twice}`}`;
}

/** Members read at the top level; the interface shows only `modules`. */
export const topLevelMembers = ["modules", "events", "identifier", "authentication", "scopes"];

/** A name in a manifest that the interface does not have. */
interface UnknownName {
  readonly path: string;
  readonly name: string;
  /** What the name would have to be; default: a part. */
  readonly what?: string;
}

/**
 * A warning for an unknown member.
 * @param known the names that it may be a misspelling of
 * @param object only names missing in it are considered
 */
export function unknownMember(
  { path, name, what = "part" }: UnknownName,
  known: readonly string[],
  object: Record<string, unknown>,
): ManifestProblem {
  const isSlip = known.some((right) => !Object.hasOwn(object, right) && isSlipOf(name, right));
  const meant = nearestName(name, known);
  // An existing member is only suggested for an obvious typo.
  const isMeant = meant !== null && (!Object.hasOwn(object, meant) || isSlipOf(name, meant));
  const hint = isMeant ? ` Did you mean "${meant}"?` : "";
  return {
    path,
    message: `is not ${what} of the interface; ignored.${hint}`,
    kind: isSlip ? "slip" : meant === null ? "unknown" : "unusual",
  };
}

/** A warning for an unknown module type. It may be the name of the command, such as `guard` for `auth-guard`. */
export function unknownType(
  path: string,
  type: string,
  known: readonly string[],
  modules: Record<string, unknown>,
): ManifestProblem {
  const meant = known.find((right) => !Object.hasOwn(modules, right) && isSlipOf(type, withoutFirstWord(right)));
  const unknown = unknownMember({ path, name: type, what: TYPE }, known, {});
  if (unknown.kind === "slip" || meant === undefined) return unknown;
  return { path, message: `is not ${TYPE} of the interface; ignored. Did you mean "${meant}"?`, kind: "slip" };
}

const TYPE = "a module type";

function withoutFirstWord(type: string): string {
  return type.slice(type.indexOf("-") + 1);
}

/** Why users never see the page of a guard, as a problem of its type; null if it is opened, or there is none. */
export function unopenedPage({ type, url }: Readonly<Record<string, unknown>>, defaultType: string): string | null {
  if (typeof url !== "string" || url.trim() === "" || (type ?? defaultType) !== "direct") return null;
  return type == null ? "is missing: without it the page is not opened" : "is direct, which opens no page";
}

/** A warning for each guard that has a page but no type that opens it. */
export function unopenedPages(entries: readonly unknown[], path: string, defaultType: string): ManifestProblem[] {
  return entries.flatMap((entry, index) => {
    const options = (entry as { readonly options?: unknown } | null)?.options ?? {};
    const { type, url } = options as Readonly<Record<string, unknown>>;
    const problem = unopenedPage({ type, url }, defaultType);
    if (problem === null) return [];
    const message = `${problem}. Set options.type to "redirect" or "frame", or leave options.url out`;
    // A given type was chosen; a missing one may have been forgotten.
    const kind = type == null ? "unusual" : "suspect";
    return [{ path: `${path}[${index}].options.type`, message, kind }];
  });
}

/** A warning for each key that the interface does not have. */
export function unknownKeys(
  object: Record<string, unknown>,
  known: readonly string[],
  path: string,
): ManifestProblem[] {
  const keys = Object.keys(object).filter((key) => !known.includes(key));
  return keys.map((key) => unknownMember({ path: `${path}.${key}`, name: key }, known, object));
}

/** A warning for each event that is a misspelling of one of the interface, or a pattern; apps may list other events. */
export function misspeltEvents(events: readonly unknown[], path: string): ManifestProblem[] {
  return events.flatMap((event, index) => {
    const named = events.filter((name) => typeof name === "string");
    const at = `${path}[${index}]`;
    if (typeof event === "string" && event.includes("*"))
      return [
        {
          path: at,
          message: "has a *, which is not a wildcard here: list the events by name",
          kind: "suspect" as const,
        },
      ];
    const meant = typeof event === "string" ? slippedEvent(event, named) : undefined;
    if (meant === undefined) return [];
    const message = `is not one of the events that the interface shows. Did you mean "${meant}"?`;
    return [{ path: at, message, kind: "suspect" as const }];
  });
}

/** A pattern may use syntax that JavaScript lacks, such as (?i). */
export function foreignPatterns(patterns: Record<string, unknown>, path: string): ManifestProblem[] {
  return Object.entries(patterns).flatMap(([name, pattern]) => {
    const found = typeof pattern === "string" ? patternProblem(pattern) : null;
    if (found === null) return [];
    const unread = `${found.isForeign ? "cannot be read" : "is not a valid regular expression"}, so it matches nothing`;
    const consequence = found.isReadable ? "may not match what you intend" : unread;
    const kind = found.isReadable || found.isForeign ? "unusual" : "slip";
    const meant = found.isReadable ? null : wildcardsMeant(String(pattern));
    const problem = meant === null ? found.problem : `${pattern} is a wildcard; as a regular expression it is ${meant}`;
    return [{ path: `${path}.${name}`, message: `${consequence}: ${problem}`, kind }];
  });
}

/** A pattern for file names that is written as in source code: names contain neither slashes nor backslashes. */
export function programPatterns({ fileName }: Record<string, unknown>, path: string): ManifestProblem[] {
  const spelling = typeof fileName === "string" ? programSpelling(fileName) : null;
  if (spelling === null) return [];
  return [{ path: `${path}.fileName`, message: `matches no file name: ${spelling}`, kind: "unusual" }];
}

/** The equivalent regular expression of a shell wildcard pattern; null for a pattern that is none. */
function wildcardsMeant(pattern: string): string | null {
  if (!/^[*?][\w.*?-]*$/.test(pattern)) return null;
  const written = pattern.replaceAll(".", "\\.").replaceAll("?", ".").replaceAll("*", ".*");
  return `^${written}$`;
}
