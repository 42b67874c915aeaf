import type { LoadedConfig } from "../../config/load.ts";
import type { LookAlike } from "../../config/look-alikes.ts";
import type { App } from "../../config/schema.ts";
import type { ManifestResult } from "../../manifest/manifest-result.ts";
import { UsageError } from "../../protocol/usage-error.ts";
import { type Diagnosis, passedCheck } from "../doctor-result.ts";

/** The manifests of all apps, or why they could not be read. */
export type Manifests = ManifestResult | UsageError;

/** Whether the app accepts connections, and whether any of its answers was HTTP. */
interface Listening {
  readonly listens: boolean;
  readonly hasAnswered: boolean;
}

/** Nobody reads more than this in one line. */
const NAMED_VALUES = 6;

/** What is known of the configuration. */
export interface ConfigFacts {
  readonly origins: LoadedConfig["origins"];
  /** The folders in which no config file was found, from the working directory upwards; empty: there is one. */
  readonly searched: readonly string[];
  /** In the working directory. */
  readonly lookAlikes: readonly LookAlike[];
  /** Warnings about settings for modules that no app declares. */
  readonly unknown: readonly string[];
}

/** Which values are set and where, and what looks like a setting but has no effect. */
export function configFound({ origins, searched, lookAlikes, unknown }: ConfigFacts): Diagnosis {
  const similar = searched.length === 0 ? [] : lookAlikes;
  const ignored = [...similar.map(({ name }) => `${name} is not read`), ...unknown];
  const message = [valuesSet(origins), ...notFoundIn(searched), ...ignored].join("; ");
  if (ignored.length === 0) return passedCheck("config", message);
  const [first] = similar;
  const hint = first ? `rename ${first.name} to ${first.right}` : "correct the key, or remove the setting";
  return { check: "config", result: "warned", message, hint };
}

function notFoundIn([first, ...above]: readonly string[]): string[] {
  if (first === undefined) return [];
  const last = above.at(-1);
  return [`no config file was found in ${first}${last === undefined ? "" : `, or above it up to ${last}`}`];
}

function valuesSet(origins: LoadedConfig["origins"]): string {
  const set = [...origins].filter(([, origin]) => origin !== "default");
  if (set.length === 0) return "everything is at its default";
  const shown = set.slice(0, NAMED_VALUES);
  const sources = [...new Set(shown.map(([, origin]) => origin))].map((source) => {
    return `${shown.flatMap(([path, origin]) => (origin === source ? [path] : [])).join(", ")} (${source})`;
  });
  const more = set.length > shown.length ? ` and ${set.length - shown.length} more: app-sim config` : "";
  return `set: ${sources.join(", ")}${more}`;
}

/** What a connection to the app, and its manifest, show of it. */
export function appFound(apps: readonly App[], manifest: Manifests, listening: Listening): Diagnosis {
  const { listens, hasAnswered } = listening;
  const urls = apps.map(({ url }) => url).join(", ");
  if (listens && !hasAnswered && !(manifest instanceof UsageError) && manifest.outcome === "failed") {
    return { check: "app", result: "warned", message: `something listens at ${urls}, but does not answer`, hint: null };
  }
  if (listens) return passedCheck("app", `something listens at ${urls}`);
  const isKnown = !(manifest instanceof UsageError) && manifest.failure === "unreachable";
  const hint = (isKnown ? manifest.hint : null) ?? "start the app, or set its address with --app URL";
  return { check: "app", result: "failed", message: `nothing listens at ${urls}`, hint };
}

const LISTS_ALL = "`app-sim manifest` lists all of its problems";

export function manifestFound(manifest: Manifests, listens: boolean): Diagnosis {
  if (manifest instanceof UsageError) {
    return { check: "manifest", result: "failed", message: manifest.message, hint: manifest.hint };
  }
  const { outcome, reason, hint, failure, apps, problems } = manifest;
  if (failure === "unreachable" && !listens) {
    return { check: "manifest", result: "skipped", message: "not tried: the app has to listen first", hint: null };
  }
  if (outcome === "failed") {
    const more = problems.length > 1 ? LISTS_ALL : hint;
    const message = withFirst(reason ?? "it cannot be used", problems);
    return { check: "manifest", result: "failed", message, hint: more };
  }
  const count = (kind: "guards" | "imports" | "webhooks") => apps.reduce((sum, app) => sum + app[kind].length, 0);
  const says = `guards: ${count("guards")}, post-imports: ${count("imports")}, webhooks: ${count("webhooks")}`;
  if (problems.length === 0) return passedCheck("manifest", says);
  const message = withFirst(
    `${says}; ${problems.length === 1 ? "1 member is" : `${problems.length} members are`} unusual`,
    problems,
  );
  return { check: "manifest", result: "warned", message, hint: LISTS_ALL };
}

/** What is wrong, and the first place where it is. */
function withFirst(message: string, [first]: ManifestResult["problems"]): string {
  if (first === undefined || first.path === "" || message.includes(first.message)) return message;
  return `${message}: ${first.path} ${first.message}`;
}

/** Most verifiers tolerate no larger clock difference. */
const SKEW_SECONDS = 30;

/**
 * Whether the app's clock agrees with this one.
 * @param date the Date header of its last answer, in milliseconds since the epoch; undefined: it had none
 * @param now in milliseconds since the epoch
 */
export function clockFound(date: number | undefined, now: number, hasAnswered: boolean): Diagnosis {
  if (date === undefined) {
    const message = hasAnswered ? "no answer of the app had a Date header" : "not tried: the app gave no answer";
    return { check: "clock", result: "skipped", message, hint: null };
  }
  const seconds = Math.round((date - now) / 1000);
  if (Math.abs(seconds) <= SKEW_SECONDS) return passedCheck("clock", "the app's clock agrees with this one");
  const message = `the app's clock is ${Math.abs(seconds)} s ${seconds > 0 ? "ahead" : "behind"}: tokens are refused as expired or not yet valid`;
  return { check: "clock", result: "warned", message, hint: "set the clock of the machine or container" };
}
