import { callApp } from "../app-client/call-app.ts";
import { readGuardReply } from "../checking/reply.ts";
import { sendTo } from "../checking/subject.ts";
import { readChoices } from "../config/choices.ts";
import type { Config } from "../config/schema.ts";
import { guardCall, guardRequest, type InstalledGuard, type Person } from "../guard-checks/call.ts";
import { configuredCandidates } from "../guard-checks/candidates.ts";
import { headerValue } from "../journal/exchange.ts";
import type { SimulatorContext } from "../platform/context.ts";
import { loadManifests } from "../platform/manifests.ts";
import { SMALL_ANSWER_LIMIT_BYTES } from "../protocol/limits.ts";
import { joinUrl, parseUrl } from "../protocol/url.ts";
import { ownTargetsOnly, requireOwnTargets } from "./verify-targets.ts";

type VerifySettings = Config["verify"];
type GuardSettings = VerifySettings["guards"][string];

/** What `verify --init` found out. */
export interface ProposedConfig {
  readonly command: "verify";
  /** The block `verify` of the configuration, as far as it could be found. */
  readonly verify: Partial<VerifySettings>;
  /** What the app's owner has to add. */
  readonly warnings: string[];
}

/** Where apps often have their login link. */
const loginLinks = ["/login", "/oauth/login", "/auth/login", "/auth/platform", "/connect", "/oauth/start"];
const LINK_TIMEOUT_MS = 10_000;

/**
 * Finds out what `verify` can be told: whom each guard lets in and whom it does not, and where a login by OAuth starts.
 * @throws UsageError for an app at a public address, or an invalid manifest
 */
export async function proposeConfig(given: SimulatorContext): Promise<ProposedConfig> {
  await requireOwnTargets(given.config.apps, false);
  const context = { ...given, gateway: ownTargetsOnly(given.gateway, false) };
  const installed = await loadManifests(context);
  if (!installed.ok) return { command: "verify", verify: {}, warnings: [installed.reason] };
  const guards: Record<string, GuardSettings> = {};
  const warnings: string[] = [...installed.warnings];
  for (const app of installed.apps) {
    for (const module of app.manifest.guards) {
      const found = await tryGuard(context, { installed: app, module });
      if (Object.keys(found).length > 0) guards[module.key] = found;
      const where = `verify.guards.${module.key}`;
      if (found.lets === undefined) warnings.push(`nobody was let in by ${module.key}: say who is (${where}.lets)`);
      if (module.type !== "direct") {
        warnings.push(`say how the page of ${module.key} is passed and failed (${where}.pass and .fail)`);
      }
    }
  }
  const start = await findLoginLink(context);
  if (start === null)
    warnings.push("no link was found that starts a login by OAuth: say where it is (verify.oauth.start)");
  return {
    command: "verify",
    verify: {
      ...(Object.keys(guards).length === 0 ? {} : { guards }),
      ...(start === null ? {} : { oauth: { start } }),
    },
    warnings,
  };
}

async function tryGuard(context: SimulatorContext, guard: InstalledGuard): Promise<GuardSettings> {
  const choices = readChoices(context.choices);
  const somebody = ({ user, ipAddress }: Person) => ({ user: user.role, ip: ipAddress });
  let found: GuardSettings = {};
  for (const person of configuredCandidates(context.config, guard.module, choices)) {
    if (found.lets !== undefined && found.denies !== undefined) break;
    const request = await guardRequest(context, choices, guard, person, null);
    const reply = readGuardReply(await sendTo({ module: guard.module.key, call: guardCall }, context, request));
    if (reply.kind === "accepted") found = { lets: somebody(person), ...found };
    // A refusal by status may be of anything but this person.
    else if (reply.kind === "refused" && reply.says.includes("success")) found = { denies: somebody(person), ...found };
    if (reply.kind === "gone") break;
  }
  return found;
}

/** The first of the usual links that leads to the platform's authorization page (interface 5.2). */
async function findLoginLink(context: SimulatorContext): Promise<string | null> {
  const [app] = context.config.apps;
  if (app === undefined) return null;
  for (const link of loginLinks) {
    const called = await callApp(context, "visit", null, {
      method: "GET",
      url: joinUrl(app.url, link),
      headers: [],
      body: new Uint8Array(),
      timeoutMs: LINK_TIMEOUT_MS,
      sizeLimit: SMALL_ANSWER_LIMIT_BYTES,
    });
    const location = headerValue(called.record.response?.headers ?? [], "location");
    const target = location === undefined ? null : parseUrl(location, app.url);
    if (target?.pathname.endsWith("/oauth/authorize") === true) return link;
  }
  return null;
}
