import { answerWords } from "../app-client/answer-words.ts";
import { type CallResult, callApp } from "../app-client/call-app.ts";
import { LOG_THE_VERIFIER } from "../app-client/doctor-words.ts";
import type { Answer } from "../app-client/read-answer.ts";
import { doubtsToken, installedHint } from "../app-client/refusal-hints.ts";
import { encodeRequest, type RequestParts, withToken } from "../checking/request-parts.ts";
import { signedWith, strangersSecret } from "../checking/token-twin.ts";
import { readChoices } from "../config/choices.ts";
import type { App } from "../config/schema.ts";
import { findUser } from "../config/users.ts";
import { guardCall, guardRequest, type InstalledGuard } from "../guard-checks/call.ts";
import type { SimulatorContext } from "../platform/context.ts";
import { loadManifests } from "../platform/manifests.ts";
import { onOwnTargets } from "../platform/own-targets.ts";
import { parseJson } from "../protocol/json.ts";
import { isJsonObject } from "../protocol/json-object.ts";
import { sentences } from "../protocol/sentences.ts";
import { UsageError } from "../protocol/usage-error.ts";
import type { RefusalCause } from "./rules/judge-secrets.ts";
import { usualMistakes } from "./rules/usual-mistakes.ts";

const notTried: RefusalCause = { isFound: false, hint: null };

/**
 * Finds out what an app accepts if it refuses a guard's valid call: it is sent the calls that apps with common mistakes
 * accept, one after another, until it accepts one.
 */
export async function explainRefusal(given: SimulatorContext, key: string): Promise<RefusalCause> {
  const called = await calledGuard(given, key);
  if (called === null) return notTried;
  const { context, guard } = called;
  for (const { takes, fix, call } of usualMistakes(guard.installed.app, context.baseUrl())) {
    // Each with its own jti.
    const wrong = call(await rightCall(called));
    if (wrong === null) continue;
    const answered = await send(context, guard, wrong);
    if (!answered.ok) return notTried;
    if (isAccepted(answered.answer)) return { isFound: true, hint: `the app accepts the call if ${takes}: ${fix}` };
  }
  const hasInstallEvent = readChoices(context.choices).get("install.event") === "on";
  const hints = [shortSecret(guard.installed.app), elsewhere(key, hasInstallEvent)];
  return { isFound: false, hint: sentences(hints) };
}

/** Whether a guard that lets a user in also does so by a call whose token is signed with another secret. */
export async function acceptsForged(given: SimulatorContext, key: string): Promise<boolean> {
  const called = await calledGuard(given, key);
  if (called === null) return false;
  const forged = withToken(await rightCall(called), ({ header }) => signedWith(header, strangersSecret));
  if (forged === null) return false;
  const answered = await send(called.context, called.guard, forged);
  return answered.ok && isLetIn(answered.answer);
}

/** Only this lets a user in (interface 3.1). */
function isLetIn({ status, body }: Answer): boolean {
  const json = parseJson(body);
  return status === 200 && json.ok && isJsonObject(json.value) && json.value.success === true;
}

/** A guard to which calls may be sent that are not right. */
interface CalledGuard {
  readonly context: SimulatorContext;
  readonly guard: InstalledGuard;
}

/** The guard with this key; null if there is none, or the app is at a public address. */
async function calledGuard(given: SimulatorContext, key: string): Promise<CalledGuard | null> {
  const context = await ownTargets(given);
  const installed = context === null ? null : await loadManifests(context);
  if (context === null || installed?.ok !== true) return null;
  const [guard] = installed.apps.flatMap((app) =>
    app.manifest.guards.filter((module) => module.key === key).map((module) => ({ installed: app, module })),
  );
  return guard === undefined ? null : { context, guard };
}

/** The right call about the user who logs in. */
function rightCall({ context, guard }: CalledGuard): Promise<RequestParts> {
  const { login } = context.config;
  const person = { user: findUser(context.config, login.user), ipAddress: login.ipAddress };
  return guardRequest(context, readChoices(context.choices), guard, person);
}

function send(context: SimulatorContext, { module }: InstalledGuard, request: RequestParts): Promise<CallResult> {
  const { purpose, ...limits } = guardCall;
  return callApp(context, { purpose, module: module.key, ...encodeRequest(request), ...limits });
}

/** An app may deny although it means to refuse. */
function isAccepted(answer: Answer): boolean {
  return answer.status === 200 && !doubtsToken(answerWords(answer));
}

/** RFC 7518, 3.2 */
const LEAST_KEY_BYTES = 32;

/** The likely cause if a library for JWTs refuses the secret itself; null: it is long enough. */
function shortSecret({ clientSecret }: App): string | null {
  const bytes = Buffer.byteLength(clientSecret);
  return bytes >= LEAST_KEY_BYTES
    ? null
    : `the clientSecret has ${bytes} bytes: strict JWT libraries refuse an HS256 key of fewer than ${LEAST_KEY_BYTES} (RFC 7518, 3.2); configure a longer one, here and in the app.`;
}

/** Causes that none of those calls reveals. */
function elsewhere(key: string, hasInstallEvent: boolean): string {
  const installed = installedHint(hasInstallEvent);
  return `none of the usual mistakes explains it: the app also refuses calls that fit them (another secret or form of it, another place for the JWT, another aud, exp in milliseconds, sub as a number, claims with other names). ${LOG_THE_VERIFIER} Most likely it has a secret or an audience of its own, or none at all: \`app-sim dev -- COMMAND\` starts it with the correct ones. If not, compare: the JWT has no iss, its module is ${JSON.stringify(key)}, and the body of the call is JSON.${installed}`;
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
