import { moduleTokenParts } from "../checking/module-request.ts";
import { readGuardReply } from "../checking/reply.ts";
import type { RequestParts } from "../checking/request-parts.ts";
import { sendTo } from "../checking/subject.ts";
import type { ChoiceReader } from "../config/choices.ts";
import type { User } from "../config/schema.ts";
import type { GuardRequest } from "../guard/checks/verification.ts";
import type { Exchange } from "../journal/exchange.ts";
import type { SimulatorContext } from "../platform/context.ts";
import type { GuardModule } from "../platform/manifest.ts";
import type { InstalledApp } from "../platform/manifests.ts";
import { GUARD_TIMEOUT_MS, SMALL_ANSWER_LIMIT_BYTES } from "../protocol/limits.ts";
import { joinUrl } from "../protocol/url.ts";

/** Who logs in, and from where. */
export interface Person {
  readonly user: User;
  readonly ipAddress: string;
}

/** Who a call of a guard is about. */
export interface CalledFor extends Person {
  /** Only on the final call; null: this is the first one. */
  readonly code?: string | null;
}

/** The guard of an installed app. */
export interface InstalledGuard {
  readonly installed: InstalledApp;
  readonly module: GuardModule;
}

/** How every call of a guard is recorded, and its limits (interface 4.2). */
export const guardCall = {
  purpose: "guard",
  timeoutMs: GUARD_TIMEOUT_MS,
  sizeLimit: SMALL_ANSWER_LIMIT_BYTES,
} as const;

/** A verification request (interface 2.2, 4.2). */
export async function guardRequest(
  context: SimulatorContext,
  choices: ChoiceReader,
  { installed: { app }, module }: InstalledGuard,
  { user, ipAddress, code = null }: CalledFor,
): Promise<RequestParts> {
  const json: GuardRequest = {
    userId: user.id,
    organizationId: context.config.organization.id,
    ipAddress,
    moduleKey: module.key,
    ...(code === null ? {} : { code }),
  };
  return {
    method: "POST",
    url: joinUrl(app.url, module.url),
    headers: [
      ["Content-Type", "application/json"],
      ["Accept-Encoding", "identity"],
    ],
    body: { json },
    token: await moduleTokenParts(context, choices, { app, user, module: module.key }),
    tokenIn: { scheme: "Bearer" },
  };
}

/** The other guards of an app. */
export function otherGuards(apps: readonly InstalledApp[], { installed, module: { key } }: InstalledGuard) {
  return apps
    .filter(({ app }) => app === installed.app)
    .flatMap((other) => other.manifest.guards.map((module): InstalledGuard => ({ installed: other, module })))
    .filter(({ module }) => module.key !== key);
}

/** A guard, and the choices by which it is called. */
interface CallingGuard {
  readonly choices: ChoiceReader;
  readonly guard: InstalledGuard;
}

/** Makes the first call of a guard, the only one without a code (interface 3.1). */
export async function makeFirstCall(
  context: SimulatorContext,
  { choices, guard }: CallingGuard,
  person: Person,
): Promise<Exchange> {
  const request = await guardRequest(context, choices, guard, person);
  return sendTo({ module: guard.module.key, call: guardCall }, context, request);
}

/**
 * Makes the final call of a login with this code (interface 3.1).
 * @returns whether it lets the person in
 */
export async function letsInWith(
  context: SimulatorContext,
  { choices, guard }: CallingGuard,
  person: Person,
  code: string,
): Promise<boolean> {
  const request = await guardRequest(context, choices, guard, { ...person, code });
  const answer = await sendTo({ module: guard.module.key, call: guardCall }, context, request);
  return readGuardReply(answer).kind === "accepted";
}
