import { z } from "zod";
import type { Choices } from "../config/choices.ts";
import { isJsonObject } from "../protocol/json-object.ts";
import { pathText, problemsOf } from "../protocol/problems.ts";
import type { Problem } from "../protocol/usage-error.ts";
import { foreignAddresses } from "./foreign-addresses.ts";
import { entryWarnings } from "./manifest-entry.ts";
import {
  type ManifestProblem,
  noObject,
  topLevelMembers,
  unknownKeys,
  unknownMember,
  unknownType,
  unopenedPages,
} from "./manifest-problems.ts";
import { type EntryOf, type Environment, entrySchemas, eventsSchema, type ModuleType } from "./manifest-schemas.ts";
import { type AppIdentity, hasOtherWords, inUsualWords, readIdentity } from "./manifest-words.ts";

/** The interaction types of an auth-guard (interface 2.1). */
export type GuardType = "direct" | "redirect" | "frame";

export interface GuardModule {
  /** Identifies the module within the app. */
  readonly key: string;
  /** Name shown to users. */
  readonly name: string;
  /** Description shown to users; null if there is none. */
  readonly description: string | null;
  /** As in the manifest, relative to the app's address. */
  readonly url: string;
  /** How the guard decides: immediately, or on a page of the app. */
  readonly type: GuardType;
  /** Whether the entry left the type to the choice `guard.type.default`. */
  readonly isDefaultType: boolean;
  /** Whether the entry uses names of this deployment (choice `manifest.names`). */
  readonly hasOtherWords: boolean;
  /** Whether owners and admins are asked too. */
  readonly applyToAdmins: boolean;
  /** The page for the user; null for `direct`. */
  readonly optionsUrl: string | null;
}

export interface ImportModule {
  /** Identifies the module within the app (interface 2.1). */
  readonly key: string;
  /** Where jobs are sent, as in the manifest. */
  readonly url: string;
  /** Which files it accepts. */
  readonly signaturePatterns: {
    /** A regular expression for their names. */
    readonly fileName?: string | undefined;
    /** A regular expression for their content. */
    readonly fileContent?: string | undefined;
  };
}

export interface WebhookModule {
  /** Identifies the module within the app (interface 2.1). */
  readonly key: string;
  /** Where events are delivered, as in the manifest. */
  readonly url: string;
  /** Names of the events that it subscribes to. */
  readonly events: readonly string[];
  /** null: no restriction. */
  readonly environments: readonly Environment[] | null;
}

/** Addresses for installation events (choice `install.event`). */
interface InstallEvents {
  /** For an installation; null if the app wants no such events. */
  readonly installed: string | null;
  /** For an uninstallation; null if the app wants no such events. */
  readonly uninstall: string | null;
}

/** A module with an invalid declaration. */
export interface UnusableModule {
  /** Its module type, as in the manifest. */
  readonly type: string;
  /** Its key, if it has one. */
  readonly key: string | null;
  /** Its place in the manifest: `modules.webhook[0]`. */
  readonly path: string;
  /** What is wrong with it, each with its place in the manifest. */
  readonly problems: readonly [Problem, ...Problem[]];
}

/** The modules of one app, in the order of the manifest. */
export interface Manifest {
  /** `auth-guard` modules. */
  readonly guards: readonly GuardModule[];
  /** `file-post-import` modules. */
  readonly imports: readonly ImportModule[];
  /** `webhook` modules. */
  readonly webhooks: readonly WebhookModule[];
  /** Where the app receives installation events. */
  readonly events: InstallEvents;
  /** What it says about the app itself. */
  readonly identity: AppIdentity;
  /** Modules left out because their declarations are invalid. */
  readonly unusable: readonly UnusableModule[];
}

interface ParsedManifest {
  /** null if there are errors. */
  readonly manifest: Manifest | null;
  readonly errors: readonly Problem[];
  readonly warnings: readonly ManifestProblem[];
}

/** What a part of a manifest declares. */
interface Part<Value> {
  readonly value: Value;
  readonly errors: readonly Problem[];
  readonly warnings: readonly ManifestProblem[];
}

/** How a platform reads the manifests of apps. */
interface ManifestRules {
  /** The type of a guard whose entry has none (choice `guard.type.default`). */
  readonly defaultGuardType: GuardType;
  /** Whether the platform sends installation events (choice `install.event`); default no. */
  readonly hasInstallEvents?: boolean;
  /** Where the app may be called, its own origin first; default anywhere. */
  readonly origins?: readonly string[];
  /** Other names of this deployment (choice `manifest.names`). */
  readonly names?: Choices["manifest.names"];
}

/**
 * Parses a manifest (interface 2.1). All errors are reported at once; unknown keys, unknown module types and absolute
 * module URLs are only warnings, the latter at one of the app's origins.
 */
export function parseManifest(
  written: unknown,
  { defaultGuardType, hasInstallEvents = false, origins, names = {} }: ManifestRules,
): ParsedManifest {
  const failed = (path: string, message: string) => ({ manifest: null, errors: [{ path, message }], warnings: [] });
  const input = inUsualWords(written, names);
  if (!isJsonObject(input)) return failed("", noObject(written));
  const { modules } = input;
  if (!isJsonObject(modules)) {
    const missing = modules === undefined ? "is missing: it " : "";
    const message = `${missing}must be an object: each key a module type, each value an array of entries`;
    return { ...failed("modules", message), warnings: unknownTopLevel(input, {}) };
  }
  const guardsAsWritten =
    isJsonObject(written) && isJsonObject(written.modules) ? asArray(written.modules["auth-guard"]) : [];
  const parts = {
    guards: readGuards(modules, defaultGuardType, (index) => hasOtherWords(guardsAsWritten[index], names)),
    imports: readEntries("file-post-import", modules, ({ key, url, signaturePatterns = {} }) => ({
      key,
      url,
      signaturePatterns,
    })),
    webhooks: readEntries("webhook", modules, ({ key, url, events, environments = null }) => ({
      key,
      url,
      events,
      environments,
    })),
    events: readEvents(input, hasInstallEvents),
  };
  const foreign = origins === undefined ? [] : foreignAddresses(input, modules, origins);
  const errors = [...Object.values(parts).flatMap((part) => part.errors), ...duplicateKeys(modules), ...foreign];
  return {
    manifest:
      errors.length > 0
        ? null
        : {
            guards: parts.guards.value,
            imports: parts.imports.value,
            webhooks: parts.webhooks.value,
            events: parts.events.value,
            identity: readIdentity(input),
            unusable: [],
          },
    errors,
    warnings: [...unknownTopLevel(input, modules), ...Object.values(parts).flatMap((part) => part.warnings)],
  };
}

/** @param prepare completes an entry before validation */
function readEntries<Type extends ModuleType, Module>(
  type: Type,
  modules: Record<string, unknown>,
  toModule: (entry: EntryOf<Type>, index: number) => Module,
  prepare = (entry: unknown) => entry,
): Part<readonly Module[]> {
  const { [type]: list = [] } = modules;
  const path = `modules.${type}`;
  if (!Array.isArray(list)) {
    return { value: [], errors: [{ path, message: "must be an array of module entries" }], warnings: [] };
  }
  const input = list.map(prepare);
  const parsed = z.array<z.ZodType>(entrySchemas[type]).safeParse(input);
  const errors = parsed.success ? [] : problemsOf(parsed.error, input);
  return {
    value: parsed.success ? (parsed.data as EntryOf<Type>[]).map(toModule) : [],
    errors: errors.map((problem) => ({ ...problem, path: path + problem.path })),
    warnings: list.flatMap((entry, index) => entryWarnings(type, entry, `${path}[${index}]`)),
  };
}

function readGuards(
  modules: Record<string, unknown>,
  defaultType: GuardType,
  isInOtherWords: (index: number) => boolean,
): Part<readonly GuardModule[]> {
  const typeOf = (entry: unknown) =>
    isJsonObject(entry) && isJsonObject(entry.options) ? entry.options.type : undefined;
  const withType = (entry: unknown) => {
    if (!isJsonObject(entry)) return entry;
    const { options = {} } = entry;
    const isReadable = options === null || isJsonObject(options);
    return isReadable ? { ...entry, options: { ...options, type: typeOf(entry) ?? defaultType } } : entry;
  };
  const toGuard = ({ key, name, description = null, url, options }: EntryOf<"auth-guard">, index: number) => ({
    key,
    name,
    description,
    url,
    type: options.type,
    hasOtherWords: isInOtherWords(index),
    isDefaultType: typeOf(asArray(modules["auth-guard"])[index]) == null,
    applyToAdmins: options.applyToAdmins ?? false,
    optionsUrl: options.type === "direct" ? null : options.url,
  });
  const part = readEntries("auth-guard", modules, toGuard, withType);
  const unopened = unopenedPages(asArray(modules["auth-guard"]), "modules.auth-guard", defaultType);
  return { ...part, warnings: [...part.warnings, ...unopened] };
}

/**
 * Reads the top-level `events`, which the interface does not show.
 * @param isOn whether the platform sends these events; otherwise they are ignored with a warning
 */
function readEvents(manifest: Record<string, unknown>, isOn: boolean): Part<InstallEvents> {
  const { events } = manifest;
  if (!Object.hasOwn(manifest, "events")) return { value: nowhere, errors: [], warnings: [] };
  const parsed = z.object({ events: eventsSchema }).safeParse({ events });
  const { installed = null, uninstall = null } = parsed.data?.events ?? nowhere;
  const known = Object.keys(eventsSchema.shape);
  const message =
    "is not part of the interface; ignored. The choice install.event turns installation events on: --choose install.event=on";
  return {
    value: { installed, uninstall },
    errors: parsed.success || !isOn ? [] : problemsOf(parsed.error, { events }),
    warnings: !isOn
      ? [{ path: "events", message, kind: "unusual" }]
      : isJsonObject(events)
        ? unknownKeys(events, known, "events")
        : [],
  };
}

const nowhere: InstallEvents = { installed: null, uninstall: null };

function unknownTopLevel(input: Record<string, unknown>, modules: Record<string, unknown>): ManifestProblem[] {
  const types = Object.keys(entrySchemas);
  const keys = Object.keys(input).filter((key) => !topLevelMembers.includes(key));
  return [
    ...keys.map((key) =>
      types.includes(key)
        ? { path: key, message: "is a module type: it belongs in modules; ignored", kind: "slip" as const }
        : unknownMember({ path: key, name: key }, "modules" in input ? [] : ["modules"], input),
    ),
    ...Object.keys(modules)
      .filter((type) => !types.includes(type))
      .map((type) => unknownType(pathText(["modules", type]), type, types, modules)),
  ];
}

/** Interface 2.1: a key identifies the module "within the app". */
function duplicateKeys(modules: Record<string, unknown>): Problem[] {
  const first = new Map<unknown, string>();
  const problems: Problem[] = [];
  for (const type of Object.keys(entrySchemas)) {
    for (const [index, entry] of asArray(modules[type]).entries()) {
      if (!isJsonObject(entry) || typeof entry.key !== "string") continue;
      const path = `modules.${type}[${index}].key`;
      const earlier = first.get(entry.key);
      if (earlier === undefined) first.set(entry.key, path);
      else {
        const message = `is "${entry.key}", like ${earlier}: a key must be unique within the app`;
        problems.push({ path, message });
      }
    }
  }
  return problems;
}

function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
