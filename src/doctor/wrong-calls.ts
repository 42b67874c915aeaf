import { type CallResult, callApp } from "../app-client/call-app.ts";
import { encodeRequest, type RequestParts } from "../checking/request-parts.ts";
import { readChoices } from "../config/choices.ts";
import { findUser } from "../config/users.ts";
import { guardCall, guardRequest, type InstalledGuard } from "../guard-checks/call.ts";
import type { SimulatorContext } from "../platform/context.ts";
import { loadManifests } from "../platform/manifests.ts";
import { onOwnTargets } from "../platform/own-targets.ts";
import { UsageError } from "../protocol/usage-error.ts";

/** A guard to which wrong calls may be sent. */
export interface ExaminedGuard {
  readonly context: SimulatorContext;
  readonly guard: InstalledGuard;
}

/** The guard with this key; null if there is none, or the app is at a public address. */
export async function examinedGuard(given: SimulatorContext, key: string): Promise<ExaminedGuard | null> {
  const context = await ownTargets(given);
  const installed = context === null ? null : await loadManifests(context);
  if (context === null || installed?.ok !== true) return null;
  const [guard] = installed.apps.flatMap((app) =>
    app.manifest.guards.filter((module) => module.key === key).map((module) => ({ installed: app, module })),
  );
  return guard === undefined ? null : { context, guard };
}

/** The right call about the user who logs in. */
export function rightCall({ context, guard }: ExaminedGuard): Promise<RequestParts> {
  const { login } = context.config;
  const person = { user: findUser(context.config, login.user), ipAddress: login.ipAddress };
  return guardRequest(context, readChoices(context.choices), guard, person);
}

/** Sends a call to the guard, right or wrong. */
export function sendCall({ context, guard }: ExaminedGuard, request: RequestParts): Promise<CallResult> {
  const { purpose, ...limits } = guardCall;
  return callApp(context, { purpose, module: guard.module.key, ...encodeRequest(request), ...limits });
}

/** The context for invalid calls; null if the app is at a public address, which must not get any. */
export async function ownTargets(context: SimulatorContext): Promise<SimulatorContext | null> {
  try {
    return await onOwnTargets(context, false);
  } catch (error) {
    if (error instanceof UsageError) return null;
    throw error;
  }
}
