import { z } from "zod";
import { didYouMean } from "../protocol/nearest.ts";
import { patternProblem } from "../protocol/pattern-syntax.ts";
import { pathText, problemsOf } from "../protocol/problems.ts";
import { isHttpUrl } from "../protocol/url.ts";
import type { Problem } from "../protocol/usage-error.ts";
import { type InstallEvents, readEvents } from "./manifest-events.ts";
import { addressSchema, isObject, unknownKeys } from "./manifest-parts.ts";

const text = z.string().min(1, "must not be empty");
const moduleUrl = addressSchema();
const pageUrl = addressSchema("a redirect or frame guard needs the address of its page");

const applyToAdmins = z.boolean().optional();
const guardOptions = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("direct"), applyToAdmins, url: moduleUrl.optional() }),
  z.looseObject({ type: z.literal("redirect"), applyToAdmins, url: pageUrl }),
  z.looseObject({ type: z.literal("frame"), applyToAdmins, url: pageUrl }),
]);

const guardEntry = z.looseObject({
  key: text,
  name: text,
  description: z.string().nullish(),
  url: moduleUrl,
  options: guardOptions,
});

const importEntry = z.looseObject({
  key: text,
  url: moduleUrl,
  signaturePatterns: z.looseObject({ fileName: text.optional(), fileContent: text.optional() }).optional(),
});

/** The product editions' names in `environments` (interface 2.1). */
const environmentNames = ["platform", "platform-enterprise"] as const;
export type Environment = (typeof environmentNames)[number];

/** Of a webhook alone the key travels in a header, which cannot hold anything else (RFC 9110, 5.5). */
const headerKey = z
  .string()
  .regex(/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/, "must be visible ASCII: it is sent in the header X-Module-Key");

const webhookEntry = z.looseObject({
  key: headerKey,
  url: moduleUrl,
  events: z.array(text).min(1, "must name at least one event"),
  environments: z.array(z.enum(environmentNames)).optional(),
});

const entrySchemas = { "auth-guard": guardEntry, "file-post-import": importEntry, webhook: webhookEntry };
type ModuleType = keyof typeof entrySchemas;

/** The interaction types of an auth-guard (interface 2.1). */
export type GuardType = "direct" | "redirect" | "frame";

export interface GuardModule {
  readonly key: string;
  readonly name: string;
  readonly description: string | null;
  readonly url: string;
  readonly type: GuardType;
  /** Whether the entry left the type to the choice `guard.type.default`. */
  readonly isDefaultType: boolean;
  readonly applyToAdmins: boolean;
  /** The page for the user; null for `direct`. */
  readonly optionsUrl: string | null;
}

export interface ImportModule {
  readonly key: string;
  readonly url: string;
  readonly signaturePatterns: { readonly fileName?: string | undefined; readonly fileContent?: string | undefined };
}

export interface WebhookModule {
  readonly key: string;
  readonly url: string;
  readonly events: readonly string[];
  /** null: no restriction. */
  readonly environments: readonly Environment[] | null;
}

/** The modules of one app, in the order of the manifest, and where it is told of its installation. */
export interface Manifest {
  readonly guards: readonly GuardModule[];
  readonly imports: readonly ImportModule[];
  readonly webhooks: readonly WebhookModule[];
  readonly events: InstallEvents;
}

export interface ParsedManifest {
  /** null when there are errors. */
  readonly manifest: Manifest | null;
  readonly errors: readonly Problem[];
  readonly warnings: readonly Problem[];
}

/**
 * Reads a manifest (interface 2.1). All errors are reported at once; unknown keys, unknown module types and
 * absolute module URLs are only warnings.
 * @param hasInstallEvents whether the platform sends installation events (choice `install.event`)
 */
export function parseManifest(input: unknown, defaultGuardType: GuardType, hasInstallEvents = false): ParsedManifest {
  const failed = (path: string, message: string): ParsedManifest => ({
    manifest: null,
    errors: [{ path, message }],
    warnings: [],
  });
  if (!isObject(input)) return failed("", "must be a JSON object with a top-level object `modules`");
  if (!isObject(input.modules)) {
    const message = "must be an object: each key a module type, each value an array of entries";
    return { ...failed("modules", message), warnings: unknownTopLevel(input, {}) };
  }
  const modules = input.modules;
  const installation = readEvents(input, hasInstallEvents);
  const parts = {
    guards: readEntries("auth-guard", modules, (entry) => withGuardType(entry, defaultGuardType)),
    imports: readEntries("file-post-import", modules),
    webhooks: readEntries("webhook", modules),
  };
  const manifest: Manifest = {
    guards: (parts.guards.entries as z.infer<typeof guardEntry>[]).map((entry, index) =>
      toGuard(entry, guardTypeOf(asArray(modules["auth-guard"])[index]) == null),
    ),
    imports: (parts.imports.entries as z.infer<typeof importEntry>[]).map((entry) => ({
      key: entry.key,
      url: entry.url,
      signaturePatterns: entry.signaturePatterns ?? {},
    })),
    webhooks: (parts.webhooks.entries as z.infer<typeof webhookEntry>[]).map((entry) => ({
      key: entry.key,
      url: entry.url,
      events: entry.events,
      environments: entry.environments ?? null,
    })),
    events: installation.events,
  };
  const all = [...Object.values(parts), installation];
  const errors = [...all.flatMap((part) => part.errors), ...duplicateKeys(modules)];
  return {
    manifest: errors.length > 0 ? null : manifest,
    errors,
    warnings: [...unknownTopLevel(input, modules), ...all.flatMap((part) => part.warnings)],
  };
}

interface Entries {
  readonly entries: readonly unknown[];
  readonly errors: readonly Problem[];
  readonly warnings: readonly Problem[];
}

function readEntries(type: ModuleType, modules: Record<string, unknown>, prepare = (entry: unknown) => entry): Entries {
  const list = modules[type];
  if (list === undefined) return { entries: [], errors: [], warnings: [] };
  if (!Array.isArray(list)) {
    return {
      entries: [],
      errors: [{ path: `modules.${type}`, message: "must be an array of module entries" }],
      warnings: [],
    };
  }
  const schema = z.object({ modules: z.object({ [type]: z.array(entrySchemas[type]) }) });
  const input = { modules: { [type]: list.map(prepare) } };
  const parsed = schema.safeParse(input);
  return {
    entries: parsed.success ? ((parsed.data.modules as Record<string, unknown[]>)[type] ?? []) : [],
    errors: parsed.success ? [] : problemsOf(parsed.error, input),
    warnings: list.flatMap((entry, index) => entryWarnings(type, entry, `modules.${type}[${index}]`)),
  };
}

function withGuardType(entry: unknown, type: GuardType): unknown {
  if (!isObject(entry)) return entry;
  const options = entry.options ?? {};
  return isObject(options) ? { ...entry, options: { ...options, type: options.type ?? type } } : entry;
}

function guardTypeOf(entry: unknown): unknown {
  return isObject(entry) && isObject(entry.options) ? entry.options.type : undefined;
}

function toGuard(entry: z.infer<typeof guardEntry>, isDefaultType: boolean): GuardModule {
  return {
    key: entry.key,
    name: entry.name,
    description: entry.description ?? null,
    url: entry.url,
    type: entry.options.type,
    isDefaultType,
    applyToAdmins: entry.options.applyToAdmins ?? false,
    optionsUrl: entry.options.type === "direct" ? null : entry.options.url,
  };
}

function unknownTopLevel(input: Record<string, unknown>, modules: Record<string, unknown>): Problem[] {
  const types = Object.keys(entrySchemas);
  return [
    ...Object.keys(input)
      .filter((key) => key !== "modules" && key !== "events")
      .map((key) => ({
        path: key,
        message: `is not part of the interface; ignored.${"modules" in input ? "" : didYouMean(key, ["modules"])}`,
      })),
    ...Object.keys(modules)
      .filter((type) => !types.includes(type))
      .map((type) => ({
        path: pathText(["modules", type]),
        message: `is not a module type of the interface; ignored.${didYouMean(type, types)}`,
      })),
  ];
}

function entryWarnings(type: ModuleType, entry: unknown, path: string): Problem[] {
  if (!isObject(entry)) return [];
  const warnings = unknownKeys(entry, Object.keys(entrySchemas[type].shape), path);
  if (typeof entry.url === "string" && isHttpUrl(entry.url)) {
    warnings.push({
      path: `${path}.url`,
      message: "is absolute; the interface says relative to app_base_url. Used as it is",
    });
  }
  if (type === "auth-guard" && isObject(entry.options)) {
    warnings.push(...unknownKeys(entry.options, ["type", "applyToAdmins", "url"], `${path}.options`));
  }
  if (type === "file-post-import" && isObject(entry.signaturePatterns)) {
    warnings.push(...foreignPatterns(entry.signaturePatterns, `${path}.signaturePatterns`));
    warnings.push(...unknownKeys(entry.signaturePatterns, ["fileName", "fileContent"], `${path}.signaturePatterns`));
  }
  return warnings;
}

/** A pattern may use syntax that JavaScript lacks, such as (?i): then the module fits no file, or others than meant. */
function foreignPatterns(patterns: Record<string, unknown>, path: string): Problem[] {
  return Object.entries(patterns).flatMap(([name, pattern]) => {
    const found = typeof pattern === "string" ? patternProblem(pattern) : null;
    if (found === null) return [];
    const consequence = found.isReadable ? "may not match what is meant" : "cannot be read, so it matches nothing";
    return [{ path: `${path}.${name}`, message: `${consequence}: ${found.problem}` }];
  });
}

/** Interface 2.1: a key identifies the module "within the app", so it may stand once among all entries. */
function duplicateKeys(modules: Record<string, unknown>): Problem[] {
  const first = new Map<unknown, string>();
  const problems: Problem[] = [];
  for (const type of Object.keys(entrySchemas)) {
    for (const [index, entry] of asArray(modules[type]).entries()) {
      if (!isObject(entry) || typeof entry.key !== "string") continue;
      const path = `modules.${type}[${index}].key`;
      const earlier = first.get(entry.key);
      if (earlier === undefined) first.set(entry.key, path);
      else
        problems.push({
          path,
          message: `is "${entry.key}", as ${earlier} is already: a key identifies one module within the app`,
        });
    }
  }
  return problems;
}

function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
