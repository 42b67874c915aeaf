import { createServer } from "node:net";
import type { Invocation } from "../action/invocation.ts";
import { ASK_DOCTOR, withoutDoctor } from "../app-client/doctor-words.ts";
import { OWN_LOG } from "../app-client/explain-outcome.ts";
import { systemClock } from "../app-client/ports.ts";
import { doubtsToken } from "../app-client/refusal-hints.ts";
import type { LoadedConfig } from "../config/load.ts";
import type { GuardMethods } from "../guard/action.ts";
import { DENIES_WITH_200 } from "../guard/checks/verification.ts";
import type { GuardResult } from "../guard/guard-result.ts";
import { canWrite } from "../journal/can-write.ts";
import { headerValue } from "../journal/exchange.ts";
import type { ManifestMethods } from "../manifest/action.ts";
import type { ManifestResult } from "../manifest/manifest-result.ts";
import { shellWord } from "../output/shell-word.ts";
import type { PlatformFace } from "../platform/simulator-options.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { findPortHolder, holderWords } from "../serve/port-holder.ts";
import { findRunningPlatform } from "../serve/running-platform.ts";
import type { DoctorMethods } from "./action.ts";
import type { Diagnosis, DoctorResult } from "./doctor-result.ts";
import { dotenvHint } from "./dotenv-hint.ts";
import { browserOf, passedCheck, versionsOf } from "./examine-machine.ts";

/** The platform that examines the app. */
export interface ExaminedPlatform extends PlatformFace, GuardMethods, ManifestMethods, DoctorMethods {
  waitForApp(timeoutMs: number): Promise<boolean>;
}

/** How long an app may take to accept a connection. */
const CONNECT_MS = 1000;
/** Most verifiers tolerate no larger clock difference. */
const SKEW_SECONDS = 30;

/** Checks everything that app-sim and the app need to work together; each finding says what to do. */
export async function examine(
  platform: ExaminedPlatform,
  loaded: LoadedConfig,
  invocation: Invocation,
): Promise<DoctorResult> {
  const listens = await platform.waitForApp(CONNECT_MS);
  const manifest = await manifestOf(platform);
  const ownHint = () => dotenvHint(invocation.cwd, loaded.config.apps);
  const { found: secrets, failure } = await secretsOfApp(platform, manifest, ownHint);
  const checks: Diagnosis[] = [
    versionsOf(invocation),
    configOf(loaded),
    await journalOf(loaded.config.journal),
    await portOf(loaded, invocation),
    appOf(listens, manifest, loaded, hasAnswered(platform)),
    manifestFound(manifest, listens),
    secrets,
    ...(await appSecretOf(platform, manifest, ownHint)),
    clockOf(platform),
    await browserOf(invocation, guardsIn(manifest)),
  ];
  const isWrong = checks.some(({ result }) => result === "failed");
  return {
    command: "doctor",
    outcome: isWrong ? "failed" : "ok",
    failure: isWrong ? (manifest instanceof UsageError ? "other" : (manifest.failure ?? failure ?? "other")) : null,
    checks,
    warnings: [],
    choices: [],
  };
}

/** Nobody reads more than this in one line. */
const NAMED_VALUES = 6;

function configOf({ origins }: LoadedConfig): Diagnosis {
  const set = [...origins].filter(([, origin]) => origin !== "default");
  if (set.length === 0) return passedCheck("config", "everything is at its default");
  const shown = set.slice(0, NAMED_VALUES);
  const sources = [...new Set(shown.map(([, origin]) => origin))].map((source) => {
    return `${shown.flatMap(([path, origin]) => (origin === source ? [path] : [])).join(", ")} (${source})`;
  });
  const more = set.length > shown.length ? ` and ${set.length - shown.length} more: app-sim config` : "";
  return passedCheck("config", `set: ${sources.join(", ")}${more}`);
}

async function journalOf(directory: string): Promise<Diagnosis> {
  if (await canWrite(directory)) return passedCheck("journal", `${directory} is writable`);
  const hint = "make the directory writable, or choose another one with --journal DIR";
  return { check: "journal", result: "failed", message: `${directory} is not writable`, hint };
}

async function portOf({ config }: LoadedConfig, invocation: Invocation): Promise<Diagnosis> {
  const { port } = config;
  if (port === 0) return passedCheck("port", "a free port is used each time");
  const running = findRunningPlatform(config, invocation);
  if (running !== null)
    return passedCheck("port", `app-sim ${running.command} (process ${running.pid}) uses port ${port}`);
  if (await isFree(port)) return passedCheck("port", `port ${port} is free for the platform`);
  const words = holderWords(port, await findPortHolder(port), `choose another one, such as --port ${port + 1}`);
  return { check: "port", result: "failed", ...words };
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () => server.close(() => resolve(true)));
  });
}

type Manifests = ManifestResult | UsageError;

async function manifestOf(platform: ExaminedPlatform): Promise<Manifests> {
  try {
    return await platform.manifest();
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
}

/** The guards of all apps; null if a manifest could not be read. */
function guardsIn(manifest: Manifests) {
  if (manifest instanceof UsageError || manifest.failure !== null) return null;
  return manifest.apps.flatMap(({ guards }) => guards);
}

/** Whether any answer of the app was HTTP. */
function hasAnswered({ journal }: Pick<ExaminedPlatform, "journal">): boolean {
  return journal.list().some((record) => record.type === "exchange" && record.response !== null);
}

function appOf(listens: boolean, manifest: Manifests, { config }: LoadedConfig, hasAnswered: boolean): Diagnosis {
  const urls = config.apps.map(({ url }) => url).join(", ");
  if (listens && !hasAnswered && !(manifest instanceof UsageError) && manifest.outcome === "failed") {
    return { check: "app", result: "warned", message: `something listens at ${urls}, but does not answer`, hint: null };
  }
  if (listens) return passedCheck("app", `something listens at ${urls}`);
  const isKnown = !(manifest instanceof UsageError) && manifest.failure === "unreachable";
  const hint = (isKnown ? manifest.hint : null) ?? "start the app, or set its address with --app URL";
  return { check: "app", result: "failed", message: `nothing listens at ${urls}`, hint };
}

const LISTS_ALL = "`app-sim manifest` lists all that is odd about it";

function manifestFound(manifest: Manifests, listens: boolean): Diagnosis {
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
  const message = withFirst(`${says}; ${problems.length} of its members are ignored or odd`, problems);
  return { check: "manifest", result: "warned", message, hint: LISTS_ALL };
}

/** What is wrong, and the first place where it is. */
function withFirst(message: string, [first]: ManifestResult["problems"]): string {
  if (first === undefined || first.path === "" || message.includes(first.message)) return message;
  return `${message}: ${first.path} ${first.message}`;
}

/** Whether app and platform have the same secret, by one signed call to the first guard. */
async function secretsOfApp(platform: ExaminedPlatform, manifest: Manifests, ownHint: () => Promise<string | null>) {
  const apps = manifest instanceof UsageError ? [] : manifest.apps;
  const key = apps.flatMap(({ guards }) => guards)[0]?.key;
  const skip = (message: string, hint: string | null): { found: Diagnosis; failure: null } => ({
    found: { check: "secrets", result: "skipped", message, hint },
    failure: null,
  });
  if (apps.length === 0) return skip("not tried without a manifest", null);
  if (key === undefined)
    return skip("there is no guard to try them with", "`app-sim webhook EVENT` sends a signed delivery");
  const { outcome, reason, hint, failure, user } = await platform.guard({ modules: [key] });
  if (outcome === "denied" && reason !== null && doubtsToken(reason)) {
    const message = `guard ${key} denies a signed call, in words about its token: ${reason}`;
    const { isFound, hint: cause } = await platform.explainRefusal(key);
    const result = isFound ? "failed" : "warned";
    return {
      found: {
        check: "secrets",
        result,
        message,
        hint: isFound ? cause : hint && withoutDoctor(hint),
      } satisfies Diagnosis,
      failure: null,
    };
  }
  if (outcome === "denied") {
    const words = reason === null ? "" : `, in words that are not about its token: ${reason}`;
    const unknown = "it is unknown whether it accepts a signed call";
    return skip(`guard ${key} denies the ${user.role}${words}; ${unknown}`, suitableUserHint(key));
  }
  if (outcome !== "failed") {
    const message = `guard ${key} accepts a signed call; app-sim verify tests whether it refuses invalid ones`;
    return { found: passedCheck("secrets", message), failure: null };
  }
  const message = `a signed call to guard ${key} failed: ${reason ?? "no usable answer"}`;
  const advice = await whyFailed(platform, key, { hint, failure }, ownHint);
  return { found: { check: "secrets", result: "failed", message, hint: advice } satisfies Diagnosis, failure };
}

/** What to do about a guard that did not answer a signed call as it should. */
async function whyFailed(
  platform: ExaminedPlatform,
  key: string,
  { hint, failure }: Pick<GuardResult, "hint" | "failure">,
  ownHint: () => Promise<string | null>,
): Promise<string | null> {
  // Without its secret, a handler crashes on the first token.
  if (hint?.startsWith(OWN_LOG) === true)
    return sentences([OWN_LOG, (await ownHint()) ?? "Was it started with the variables of app-sim env?"]);
  if (failure !== "refused") return hint;
  const cause = await platform.explainRefusal(key);
  return cause.isFound ? cause.hint : sentences([unexplained(cause.hint, hint), await ownHint()]);
}

/** What the app's own message says about its refusal, unless other calls show more. */
function unexplained(cause: string | null, hint: string | null): string | null {
  // The reader already uses the doctor.
  if (hint?.includes(ASK_DOCTOR) === false || cause === null) return hint && withoutDoctor(hint);
  return hint?.includes(DENIES_WITH_200) === true ? `${cause} A ${DENIES_WITH_200}` : cause;
}

function sentences(texts: readonly (string | null)[]): string | null {
  const given = texts.filter((text) => text !== null);
  return given.length === 0
    ? null
    : given
        .map((text) => text.replace(/(?<![.?])$/, "."))
        .join(" ")
        .replace(/\.$/, "");
}

/** A denial looks the same whether or not the app trusts the call. */
function suitableUserHint(key: string): string {
  const tried = `app-sim guard --tamper --module ${shellWord(key)}`;
  return `whom does it let in? Set login.user and login.ipAddress, or APP_SIM_USER and APP_SIM_IP, accordingly; or run \`${tried}\`, which looks for a suitable user`;
}

/** Whether app and platform have the same app secret, by deliveries to the first webhook; empty if there is none. */
async function appSecretOf(
  platform: ExaminedPlatform,
  manifest: Manifests,
  ownHint: () => Promise<string | null>,
): Promise<readonly Diagnosis[]> {
  const hasWebhook = !(manifest instanceof UsageError) && manifest.apps.some(({ webhooks }) => webhooks.length > 0);
  const tried = hasWebhook ? await platform.tryDelivery() : null;
  if (tried === null) return [];
  const { isRefused, hint, ...found } = tried;
  return [{ check: "app-secret", ...found, hint: isRefused ? sentences([hint, await ownHint()]) : hint }];
}

/** Whether the app's clock agrees with this one, by the Date header of its last answer. */
function clockOf({ journal }: Pick<ExaminedPlatform, "journal">): Diagnosis {
  const dates = journal.list().flatMap((record) => {
    const date = record.type === "exchange" ? headerValue(record.response?.headers ?? [], "date") : undefined;
    return date === undefined || Number.isNaN(Date.parse(date)) ? [] : [Date.parse(date)];
  });
  const last = dates.at(-1);
  if (last === undefined && !hasAnswered({ journal }))
    return { check: "clock", result: "skipped", message: "not tried: the app gave no answer", hint: null };
  if (last === undefined)
    return { check: "clock", result: "skipped", message: "no answer of the app had a Date header", hint: null };
  const seconds = Math.round((last - systemClock.now()) / 1000);
  if (Math.abs(seconds) <= SKEW_SECONDS) return passedCheck("clock", "the app's clock agrees with this one");
  const message = `the app's clock is ${Math.abs(seconds)} s ${seconds > 0 ? "ahead" : "behind"}: tokens are refused as expired or not yet valid`;
  return { check: "clock", result: "warned", message, hint: "set the clock of the machine or container" };
}
