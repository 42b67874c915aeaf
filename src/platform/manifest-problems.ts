import { madeTwice } from "../protocol/json-slip.ts";
import { isSlipOf, nearestName } from "../protocol/nearest.ts";
import { patternProblem, programSpelling } from "../protocol/pattern-syntax.ts";
import { slippedEvent } from "../protocol/webhook.ts";

/** Something that is wrong with a manifest and keeps nothing of it from being used. */
export interface ManifestProblem {
  /** Where, as in {@link Problem}. */
  readonly path: string;
  readonly message: string;
  /**
   * `slip`: can only be a mistake, such as a misspelt name, or a pattern that no language reads; `unknown`: a member that
   * the interface does not know, and another deployment may; `suspect`: a name that an app may choose, and that is nearly
   * one of the interface, or an address without use, which `app-sim manifest` alone says; `unusual`: anything else.
   */
  readonly kind: "slip" | "unknown" | "suspect" | "unusual";
}

export function warningText({ path, message }: Pick<ManifestProblem, "path" | "message">): string {
  return path === "" ? message : `manifest: ${path} ${message}`;
}

/** What is wrong with a manifest that is no object. */
export function noObject(written: unknown): string {
  const twice = madeTwice(written);
  return `must be a JSON object with a top-level object \`modules\`${twice === null ? "" : `; ${twice}`}`;
}

/** What is read at the top level; the interface shows only `modules`. */
export const topLevelMembers = ["modules", "events", "identifier", "authentication", "scopes"];

/**
 * A warning for a member that is not known.
 * @param known the names that it may have been meant for
 * @param object where one of these is missing, if it is
 */
export function unknownMember(
  path: string,
  name: string,
  known: readonly string[],
  object: Record<string, unknown>,
  what = "part",
): ManifestProblem {
  const isSlip = known.some((right) => !Object.hasOwn(object, right) && isSlipOf(name, right));
  const meant = nearestName(name, known);
  // What is there already was meant only by a slip of the pen.
  const isMeant = meant !== null && (!Object.hasOwn(object, meant) || isSlipOf(name, meant));
  const hint = isMeant ? ` Did you mean "${meant}"?` : "";
  return {
    path,
    message: `is not ${what} of the interface; ignored.${hint}`,
    kind: isSlip ? "slip" : meant === null ? "unknown" : "unusual",
  };
}

/** A warning for a module type that is not known. It may be the name of app-sim's command, such as `guard` for `auth-guard`. */
export function unknownType(
  path: string,
  type: string,
  known: readonly string[],
  modules: Record<string, unknown>,
): ManifestProblem {
  const meant = known.find((right) => !Object.hasOwn(modules, right) && isSlipOf(type, withoutFirstWord(right)));
  const unknown = unknownMember(path, type, known, {}, TYPE);
  if (unknown.kind === "slip" || meant === undefined) return unknown;
  return { path, message: `is not ${TYPE} of the interface; ignored. Did you mean "${meant}"?`, kind: "slip" };
}

const TYPE = "a module type";

function withoutFirstWord(type: string): string {
  return type.slice(type.indexOf("-") + 1);
}

/** Why no user ever sees the page of a guard, as what is wrong with its type; null: it is opened, or there is none. */
export function unopenedPage({ type, url }: Readonly<Record<string, unknown>>, defaultType: string): string | null {
  if (typeof url !== "string" || url.trim() === "" || (type ?? defaultType) !== "direct") return null;
  return type == null ? "is missing: without it the page is not opened" : "is direct, which opens no page";
}

/** A warning for each guard that has the address of a page and no type that opens it. */
export function unopenedPages(entries: readonly unknown[], path: string, defaultType: string): ManifestProblem[] {
  return entries.flatMap((entry, index) => {
    const options = (entry as { readonly options?: unknown } | null)?.options ?? {};
    const { type, url } = options as Readonly<Record<string, unknown>>;
    const problem = unopenedPage({ type, url }, defaultType);
    if (problem === null) return [];
    const message = `${problem}. Say "redirect" or "frame" beside options.url, or leave the address out`;
    // A type that is given was chosen; one that is missing may have been forgotten.
    const kind = type == null ? "unusual" : "suspect";
    return [{ path: `${path}[${index}].options.type`, message, kind }];
  });
}

/** A warning for each key that the interface does not know. */
export function unknownKeys(
  object: Record<string, unknown>,
  known: readonly string[],
  path: string,
): ManifestProblem[] {
  const keys = Object.keys(object).filter((key) => !known.includes(key));
  return keys.map((key) => unknownMember(`${path}.${key}`, key, known, object));
}

/** A warning for each event that is one of the interface but for a slip, or a pattern; apps may name others, which are no mistake. */
export function misspeltEvents(events: readonly unknown[], path: string): ManifestProblem[] {
  return events.flatMap((event, index) => {
    const named = events.filter((name) => typeof name === "string");
    const at = `${path}[${index}]`;
    if (typeof event === "string" && event.includes("*"))
      return [
        {
          path: at,
          message: "has a *, which is no pattern here: list the events by their names",
          kind: "suspect" as const,
        },
      ];
    const meant = typeof event === "string" ? slippedEvent(event, named) : undefined;
    if (meant === undefined) return [];
    const message = `is none of the events that the interface shows. Did you mean "${meant}"?`;
    return [{ path: at, message, kind: "suspect" as const }];
  });
}

/** A pattern may use syntax that JavaScript lacks, such as (?i). */
export function foreignPatterns(patterns: Record<string, unknown>, path: string): ManifestProblem[] {
  return Object.entries(patterns).flatMap(([name, pattern]) => {
    const found = typeof pattern === "string" ? patternProblem(pattern) : null;
    if (found === null) return [];
    const unread = `${found.isForeign ? "cannot be read" : "is no regular expression"}, so it matches nothing`;
    const consequence = found.isReadable ? "may not match what is meant" : unread;
    const kind = found.isReadable || found.isForeign ? "unusual" : "slip";
    const meant = found.isReadable ? "" : wildcardsMeant(String(pattern));
    return [{ path: `${path}.${name}`, message: `${consequence}: ${found.problem}${meant}`, kind }];
  });
}

/** A pattern of file names may be written as in a program: names have neither slashes nor backslashes. */
export function programPatterns({ fileName }: Record<string, unknown>, path: string): ManifestProblem[] {
  const spelling = typeof fileName === "string" ? programSpelling(fileName) : null;
  if (spelling === null) return [];
  return [{ path: `${path}.fileName`, message: `matches no file name: ${spelling}`, kind: "unusual" }];
}

/** Of a pattern with the wildcards of a shell, the regular expression for it. */
function wildcardsMeant(pattern: string): string {
  if (!/^[*?][\w.*?-]*$/.test(pattern)) return "";
  const written = pattern.replaceAll(".", "\\.").replaceAll("?", ".").replaceAll("*", ".*");
  return `; as a regular expression, the file names of ${pattern} are ^${written}$`;
}
