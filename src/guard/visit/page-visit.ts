import type { CallFacts } from "../../app-client/refusal-hints.ts";
import { addressText, isPlatformAddress, missingSettingHint } from "../../browser/addresses.ts";
import { type PageTrouble, type PageWork, pageTrouble, withHint } from "../../browser/fill-form.ts";
import { redactText } from "../../journal/redact.ts";
import { pageFacts } from "../../platform/call-facts.ts";
import type { SimulatorContext } from "../../platform/context.ts";
import { clip, harmlessLine } from "../../protocol/harmless.ts";
import { isSamePlace, joinUrl } from "../../protocol/url.ts";
import { guardCallbackPath } from "../../web/login-paths.ts";
import { callbackAddress } from "../login/callback-address.ts";
import type { Interaction } from "../login/interaction.ts";
import type { LoginSession } from "../login/login-face.ts";
import type { GuardOfLogin } from "./guard-work.ts";

/** What a visit needs from its interaction. */
export type VisitedInteraction = Pick<
  Interaction,
  "state" | "signal" | "timeLeft" | "pageUrl" | "report" | "visited" | "warn"
> & { readonly guard: Pick<Interaction["guard"], "key" | "type"> };

/** One visit to the page of a guard, instead of a person. */
export interface PageVisit {
  readonly interaction: VisitedInteraction;
  readonly work: PageWork;
  readonly login: LoginAddresses;
  /** All guards of the login. */
  readonly guards: readonly GuardOfLogin[];
  /** What is known about the request for its page. */
  readonly facts: CallFacts;
  /** Whether no later guard of the login can have a page. */
  isLast(): boolean;
  /** Milliseconds until the visit must end by itself, a little before the platform stops waiting; at least 0. */
  timeLeft(): number;
  /** Ends the login, unless the user is back or the login is over. */
  leave(trouble: PageTrouble): void;
  /** Text of a page or script, for a message: short, harmless, without the filled-in values and the state. */
  quote(text: string): string;
}

/** Shorter values occur in any text, so finding them proves nothing. */
const TELLING_CHARACTERS = 4;
const QUOTED_CHARACTERS = 200;
/** Time to inspect the page when a visit ends by itself; a busy machine may need it. */
const MARGIN_MS = 3_000;

/** Creates the visit of an interaction. */
export function beginVisit(
  { config, choices, baseUrl }: SimulatorContext,
  login: LoginSession,
  interaction: Interaction,
  work: PageWork,
): PageVisit {
  const { key, module, installed } = interaction.guard;
  const marginMs = Math.min(MARGIN_MS, interaction.timeLeft() / 2);
  const app = [installed.app.url, joinUrl(installed.app.url, module.optionsUrl ?? "")];
  const values = Object.values(work.fill)
    .flat()
    .filter(({ length }) => length >= TELLING_CHARACTERS);
  const guards = login
    .view()
    .stages.flatMap(({ module: key, type }) => (key === undefined ? [] : [{ key, hasPage: type !== "direct" }]));
  const secrets = [...values, interaction.state];
  let guess: string | null = null;
  const onGuess = (hint: string) => {
    guess ??= hint;
    interaction.guessed(hint);
  };
  return {
    interaction,
    work: { ...work, onGuess },
    guards,
    // The platform's address may be known only once it listens.
    get login() {
      return { platform: baseUrl(), domain: config.organization.domain, state: interaction.state, app };
    },
    facts: pageFacts({ config, choices }, installed.app, key),
    isLast: () => !login.view().stages.some(({ status, type }) => status === "waiting" && type !== "direct" && type),
    timeLeft: () => Math.max(0, interaction.timeLeft() - marginMs),
    // By now a later stage of the login may be waiting for its user.
    leave: (trouble) => {
      if (!interaction.signal.aborted) login.leave(withHint(trouble, guess));
    },
    quote: (text) => clip(harmlessLine(redactText(text, secrets).replaceAll(/\s+/g, " ").trim()), QUOTED_CHARACTERS),
  };
}

/** What is known about one request of a visit: whether it sends the page's token again, or none at all. */
export function requestFacts(
  facts: CallFacts,
  { url, body }: { readonly url: string; readonly body: Uint8Array },
  isFirst: boolean,
): CallFacts {
  if (!holdsJwt.test(url) && !holdsJwt.test(Buffer.from(body).toString("latin1"))) return { by: "page" };
  return isFirst ? facts : { ...facts, tookBefore: "page" };
}

/** A compact JWT (RFC 7519), whose header begins with `{"`. */
const holdsJwt = /\beyJ[\w-]+\.[\w-]+\./;

/** Where a browser on the page of a guard is being sent. */
type Destination =
  /** A page of the app. */
  | { readonly kind: "app" }
  /** The guard callback of some domain, at this platform (interface 4.1). */
  | { readonly kind: "callback"; readonly domain: string | null }
  /** An address intended as the guard callback, but wrong. */
  | { readonly kind: "wrong-callback"; readonly reason: string; readonly hint: string }
  | { readonly kind: "elsewhere" };

/** The addresses and the state of one login, to judge a destination. */
export interface LoginAddresses {
  /** Address of the platform, without a trailing slash. */
  readonly platform: string;
  /** The organization's domain; null: it has none. */
  readonly domain: string | null;
  /** The state of the interaction: an address with it and a code or an error is intended as the callback. */
  readonly state: string;
  /** Addresses of the app. */
  readonly app: readonly string[];
}

/**
 * Judges where an app sends its user (interface 4.2). Every name of this machine reaches the platform and the app:
 * `localhost` is `127.0.0.1`.
 */
export function destinationOf(url: URL, { platform, domain, state, app }: LoginAddresses): Destination {
  const served = callbackAddress(url, platform, domain);
  if (served !== null) return { kind: "callback", domain: served.domain };
  const isPlatform = isSamePlace(url, new URL(platform));
  const isServed = isPlatformAddress(platform, url);
  const { searchParams, pathname } = url;
  const isCallback = /\/guard\/callback\/?$/.test(pathname);
  const isReturn = searchParams.get("state") === state && (searchParams.has("code") || searchParams.has("error"));
  // An app may pass all that on from one of its own pages to the next.
  if (isOfApp(url, { app }) && !isCallback) return { kind: "app" };
  if (!isPlatform && !isCallback && !isReturn) return { kind: "elsewhere" };
  const callback = platform + guardCallbackPath(domain);
  const missing = missingSettingHint(url, isOfApp(url, { app }) && pathname === guardCallbackPath(domain), platform);
  return {
    kind: "wrong-callback",
    reason: `the app sent the user to ${addressText(url)}, but the guard callback is ${callback}`,
    hint: missing ?? (pathname.startsWith("//") ? TWO_SLASHES : wrongCallbackHint(isServed, domain)),
  };
}

const TWO_SLASHES =
  "its path starts with two slashes: does PLATFORM_AUTH_URL in your app's settings have a trailing slash? Remove one of them";

function wrongCallbackHint(isServed: boolean, domain: string | null): string {
  return isServed
    ? `the path is {auth_url}${guardCallbackPath(domain === null ? null : "{domain}")} (interface 4.1)`
    : "give the app the PLATFORM_AUTH_URL that `app-sim env` prints";
}

/** Whether an address belongs to the app. */
export function isOfApp(url: URL, { app }: Pick<LoginAddresses, "app">): boolean {
  return app.some((address) => isSamePlace(url, new URL(address)));
}

/**
 * What is wrong with how the user came back (interface 4.2); null: nothing.
 * @param status of the redirect; null: the page led there without one
 */
export function wayBackWarning(status: number | null): string | null {
  if (status === 302) return null;
  const how = status === null ? "by a link, form, script or refresh of its page" : `with HTTP ${status}`;
  return `the app sent the user back ${how}, expected HTTP 302 (interface 4.2)`;
}

/**
 * The problem with a callback that came as a POST.
 * @param status of the redirect that led to it; null: there was none
 */
export function postedCallback(status: number | null): PageTrouble {
  return pageTrouble(
    status === null
      ? "the app's form posts to the guard callback, which accepts only GET"
      : `the app answered the form with ${status}, so a browser repeats the POST to the guard callback`,
    "let the form post to your app, and answer with HTTP 302 to the callback (interface 4.2)",
  );
}

/**
 * The names of the parameters that a refused guard callback has instead of those of interface 4.1; null if none is
 * missing.
 */
export function parametersHint({ searchParams, hash }: URL): string | null {
  if (searchParams.has("state") && (searchParams.has("code") || searchParams.has("error"))) return null;
  const behind = namesOf(new URLSearchParams(hash.slice(1)));
  if (hash.includes("=")) return `a server never sees what follows #: put ${behind} after ? instead`;
  return `it has: ${namesOf(searchParams) || "no parameters"}`;
}

const MAX_NAMES = 8;

function namesOf(parameters: URLSearchParams): string {
  const names = [...new Set(parameters.keys())].map((name) => clip(harmlessLine(name), 40));
  return `${names.slice(0, MAX_NAMES).join(", ")}${names.length > MAX_NAMES ? " …" : ""}`;
}
