import type { PlainStage } from "../../src/guard/rules/login.ts";
import type { GuardResult, Role } from "../../src/index.ts";
import type { GuardType } from "../../src/platform/manifest.ts";
import type { GuardAnswer } from "../rig/steered-gateway.ts";

// What interface 3.1 says of several logins at once, told again without the code under test.

/** How long a user may take, in milliseconds, and how often each stage may be tried. */
export const PATIENCE_MS = 600_000;
export const ATTEMPTS = 2;

export interface ModelGuard {
  readonly key: string;
  readonly type: GuardType;
  readonly applyToAdmins: boolean;
}

/** A stage that has to be passed: a plain one, or a guard. */
type Place = PlainStage | ModelGuard;

export type Came = { readonly code: string } | { readonly error: string };

export interface ModelLogin {
  readonly places: readonly Place[];
  at: number;
  phase: "asked" | "first" | "page" | "final" | "over";
  failures: number;
  /** When the user has taken too long; Infinity while it is not their turn. */
  deadline: number;
  /** Place in `states` of the one that the user's page has. */
  state: number | null;
  code: string | null;
  end: Pick<GuardResult, "outcome" | "deniedBy"> | null;
}

/** A state that was issued. */
interface ModelState {
  readonly login: number;
  readonly type: GuardType;
  status: "open" | "used" | "expired";
}

export interface Model {
  readonly guards: readonly ModelGuard[];
  readonly logins: ModelLogin[];
  readonly states: ModelState[];
  now: number;
  isClosed: boolean;
}

export function emptyModel(guards: readonly ModelGuard[]): Model {
  return { guards, logins: [], states: [], now: 0, isClosed: false };
}

export interface Enabled {
  readonly mfa: boolean;
  readonly deviceTrust: boolean;
  readonly rememberMe: boolean;
}

export function beginModelled(model: Model, user: Role, { mfa, deviceTrust, rememberMe }: Enabled): void {
  const applies = ({ applyToAdmins }: ModelGuard) => user !== "owner" && (user !== "admin" || applyToAdmins);
  const places: Place[] = [
    "password",
    ...(mfa ? (["mfa"] as const) : []),
    ...(deviceTrust ? (["device-trust"] as const) : []),
    ...model.guards.filter(applies),
    ...(rememberMe ? (["remember-me"] as const) : []),
  ];
  const login: ModelLogin = {
    places,
    at: 0,
    phase: "asked",
    failures: 0,
    deadline: model.now + PATIENCE_MS,
    state: null,
    code: null,
    end: null,
  };
  model.logins.push(login);
}

/** The user enters something at a stage; whether that is the one that is asked. */
export function enterModelled(model: Model, login: ModelLogin, stage: PlainStage, isRight: boolean): boolean {
  if (login.phase !== "asked" || login.places[login.at] !== stage) return false;
  if (isRight || stage === "remember-me") pass(model, login);
  else {
    login.failures += 1;
    login.deadline = model.now + PATIENCE_MS;
    if (login.failures === ATTEMPTS) finish(model, login, "denied", null);
  }
  return true;
}

export function answerModelled(model: Model, login: ModelLogin, answer: GuardAnswer): void {
  const guard = guardOf(login);
  if (answer === "approve") pass(model, login);
  else if (answer === "refuse" && login.phase === "first" && guard.type !== "direct") {
    login.phase = "page";
    login.deadline = model.now + PATIENCE_MS;
    login.state = model.states.push({ login: model.logins.indexOf(login), type: guard.type, status: "open" }) - 1;
  } else if (answer === "refuse") finish(model, login, "denied", guard.key);
  else finish(model, login, "failed", null);
}

/** The user comes back with this state by the callback or out of a frame; whether that is accepted. */
export function comeBackModelled(model: Model, state: number, type: "redirect" | "frame", came: Came): boolean {
  const issued = model.states[state];
  const login = issued === undefined ? undefined : model.logins[issued.login];
  if (issued === undefined || login === undefined || issued.type !== type || issued.status !== "open") return false;
  issued.status = "used";
  if ("error" in came) finish(model, login, "denied", guardOf(login).key);
  else {
    login.phase = "final";
    login.code = came.code;
    login.deadline = Number.POSITIVE_INFINITY;
    login.state = null;
  }
  return true;
}

/** The user goes away; whether it was their turn. */
export function leaveModelled(model: Model, login: ModelLogin): boolean {
  if (login.phase !== "asked" && login.phase !== "page") return false;
  finish(model, login, "needs-user", null);
  return true;
}

/** Time goes on. */
export function waitModelled(model: Model, milliseconds: number): void {
  model.now += milliseconds;
  for (const login of model.logins) if (login.deadline <= model.now) leaveModelled(model, login);
}

/** The simulator is closed. */
export function closeModelled(model: Model): void {
  model.isClosed = true;
  for (const login of model.logins) {
    if (leaveModelled(model, login) || login.phase === "over") continue;
    finish(model, login, "failed", null);
  }
}

export function guardOf({ places, at }: ModelLogin): ModelGuard {
  const place = places[at];
  if (typeof place !== "object") throw new Error(`not at a guard but at ${place}`);
  return place;
}

function pass(model: Model, login: ModelLogin): void {
  login.at += 1;
  login.failures = 0;
  login.code = null;
  const place = login.places[login.at];
  if (place === undefined) finish(model, login, "granted", null);
  else {
    login.phase = typeof place === "string" ? "asked" : "first";
    login.deadline = typeof place === "string" ? model.now + PATIENCE_MS : Number.POSITIVE_INFINITY;
  }
}

function finish(model: Model, login: ModelLogin, outcome: GuardResult["outcome"], deniedBy: string | null): void {
  const issued = model.states[login.state ?? -1];
  if (issued?.status === "open") issued.status = "expired";
  Object.assign(login, { phase: "over", deadline: Number.POSITIVE_INFINITY, end: { outcome, deniedBy } });
}
