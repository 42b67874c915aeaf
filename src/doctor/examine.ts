import { createServer } from "node:net";
import type { Invocation } from "../action/invocation.ts";
import { systemClock } from "../app-client/ports.ts";
import { unknownSettings } from "../checking/unknown-settings.ts";
import type { LoadedConfig } from "../config/load.ts";
import { configLookAlikes } from "../config/look-alikes.ts";
import { directoriesUp } from "../config/repository.ts";
import type { GuardMethods } from "../guard/action.ts";
import { canWrite } from "../journal/can-write.ts";
import { headerValue } from "../journal/exchange.ts";
import type { ManifestMethods } from "../manifest/action.ts";
import type { PlatformFace } from "../platform/simulator-options.ts";
import { sentences } from "../protocol/sentences.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { findPortHolder, holderWords } from "../serve/port-holder.ts";
import { findRunningPlatform } from "../serve/running-platform.ts";
import type { DoctorMethods } from "./action.ts";
import { type Diagnosis, type DoctorResult, passedCheck } from "./doctor-result.ts";
import { dotenvHint } from "./dotenv-hint.ts";
import { browserOf, versionsOf } from "./examine-machine.ts";
import { judgeSignedCall, needsCause, secretsUntried } from "./rules/judge-secrets.ts";
import { appFound, clockFound, configFound, type Manifests, manifestFound } from "./rules/judge-setup.ts";

/** The platform that examines the app. */
export interface ExaminedPlatform extends PlatformFace, GuardMethods, ManifestMethods, DoctorMethods {
  waitForApp(timeoutMs: number): Promise<boolean>;
}

/** How long an app may take to accept a connection. */
const CONNECT_MS = 1000;
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
    await configOf(loaded, manifest),
    await journalOf(loaded.config.journal),
    await portOf(loaded, invocation),
    appFound(loaded.config.apps, manifest, { listens, hasAnswered: hasAnswered(platform) }),
    manifestFound(manifest, listens),
    secrets,
    ...(await appSecretOf(platform, manifest, ownHint)),
    clockFound(lastDate(platform), systemClock.now(), hasAnswered(platform)),
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

async function configOf({ config, origins, file, directory }: LoadedConfig, manifest: Manifests): Promise<Diagnosis> {
  return configFound({
    origins,
    searched: file === null ? directoriesUp(directory) : [],
    lookAlikes: await configLookAlikes(directory),
    unknown: unknownIn(config, manifest),
  });
}

/** Warnings about settings for modules that no app declares; none if a manifest could not be read. */
function unknownIn(config: LoadedConfig["config"], manifest: Manifests): readonly string[] {
  if (manifest instanceof UsageError || manifest.outcome === "failed") return [];
  return unknownSettings(config, manifest.apps);
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

/** Whether app and platform have the same secret, by one signed call to the first guard. */
async function secretsOfApp(platform: ExaminedPlatform, manifest: Manifests, ownHint: () => Promise<string | null>) {
  const apps = manifest instanceof UsageError ? [] : manifest.apps;
  const key = apps.flatMap(({ guards }) => guards)[0]?.key;
  if (key === undefined) return { found: secretsUntried(apps.length > 0), failure: null };
  const call = await platform.guard({ modules: [key] });
  const cause = needsCause(call) ? await platform.explainRefusal(key) : null;
  const isForgedAccepted = call.outcome === "granted" && (await platform.acceptsForged(key));
  const found = judgeSignedCall(key, call, { cause, ownHint: await ownHint(), isForgedAccepted });
  return { found, failure: call.outcome === "failed" ? call.failure : null };
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

/** The Date header of the app's last answer that has one, in milliseconds since the epoch. */
function lastDate({ journal }: Pick<ExaminedPlatform, "journal">): number | undefined {
  const dates = journal.list().map((record) => {
    const date = record.type === "exchange" ? headerValue(record.response?.headers ?? [], "date") : undefined;
    return Date.parse(date ?? "");
  });
  return dates.findLast((date) => !Number.isNaN(date));
}
