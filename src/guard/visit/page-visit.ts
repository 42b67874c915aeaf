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

/** What a visit needs of the interaction that it is for. */
export type VisitedInteraction = Pick<
  Interaction,
  "state" | "signal" | "timeLeft" | "pageUrl" | "report" | "visited" | "warn"
> & { readonly guard: Pick<Interaction["guard"], "key" | "type"> };

/** One visit to the page of a guard, in a person's place. */
export interface PageVisit {
  readonly interaction: VisitedInteraction;
  readonly work: PageWork;
  readonly login: LoginAddresses;
  /** Keys of all guards of the login. */
  readonly guards: readonly string[];
  /** What is known of the request for its page. */
  readonly facts: CallFacts;
  /** Whether no later guard of the login may have a page of its own. */
  isLast(): boolean;
  /** Milliseconds until the visit has to end by itself, a little before the platform stops waiting; at least 0. */
  timeLeft(): number;
  /** Ends the login, unless the user is back or the login over. */
  leave(trouble: PageTrouble): void;
  /** What a page or script says, for a message: short, harmless, without what was filled in and the state. */
  quote(text: string): string;
}

/** Shorter values are found in any text, and tell nothing. */
const TELLING_CHARACTERS = 4;
const QUOTED_CHARACTERS = 200;
/** Time to look at the page of a visit that ends by itself, which a busy machine may need. */
const MARGIN_MS = 1000;

/** Creates the visit of an interaction. */
export function beginVisit(
  { config, choices, baseUrl }: SimulatorContext,
  login: LoginSession,
  interaction: Interaction,
  work: PageWork,
): PageVisit {
  const { key, module, installed } = interaction.guard;
  const marginMs = Math.min(MARGIN_MS, interaction.timeLeft() / 5);
  const app = [installed.app.url, joinUrl(installed.app.url, module.optionsUrl ?? "")];
  const values = Object.values(work.fill)
    .flat()
    .filter(({ length }) => length >= TELLING_CHARACTERS);
  const guards = login.view().stages.flatMap(({ module: guard }) => guard ?? []);
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
    // Where the platform is may be known only once it listens.
    get login() {
      return { platform: baseUrl(), domain: config.organization.domain, state: interaction.state, app };
    },
    facts: pageFacts({ config, choices }, installed.app, key),
    isLast: () => !login.view().stages.some(({ status, type }) => status === "waiting" && type !== "direct" && type),
    timeLeft: () => Math.max(0, interaction.timeLeft() - marginMs),
    // A later stage of the login may be waiting for its user by now.
    leave: (trouble) => {
      if (!interaction.signal.aborted) login.leave(withHint(trouble, guess));
    },
    quote: (text) => clip(harmlessLine(redactText(text, secrets).replaceAll(/\s+/g, " ").trim()), QUOTED_CHARACTERS),
  };
}

/** What is known of one request of a visit: whether it brings the token of its page once more, or none at all. */
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

/** Where a browser that walks the page of a guard is being sent. */
type Destination =
  /** A page of the app. */
  | { readonly kind: "app" }
  /** The guard callback of some domain, at this platform (interface 4.1). */
  | { readonly kind: "callback"; readonly domain: string | null }
  /** What is meant for the guard callback, but leads elsewhere. */
  | { readonly kind: "wrong-callback"; readonly reason: string; readonly hint: string }
  | { readonly kind: "elsewhere" };

/** The addresses and the state of one login, by which a destination is judged. */
export interface LoginAddresses {
  /** Address of the platform, without a trailing slash. */
  readonly platform: string;
  /** The organization's domain; null: it has none. */
  readonly domain: string | null;
  /** The state of the interaction: an address with it and a code or an error is meant to be the callback. */
  readonly state: string;
  /** Addresses of the app. */
  readonly app: readonly string[];
}

/**
 * Judges where an app sends its user (interface 4.2). The platform and the app answer to every name of this machine:
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
  // An app may hand all that on from one of its own pages to the next.
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
  "its path begins with two slashes: does PLATFORM_AUTH_URL end with one in your app's settings? Leave one of them out";

function wrongCallbackHint(isServed: boolean, domain: string | null): string {
  return isServed
    ? `the path is {auth_url}${guardCallbackPath(domain === null ? null : "{domain}")} (interface 4.1)`
    : "give the app the PLATFORM_AUTH_URL that `app-sim env` prints; the path begins with the domain (interface 4.1)";
}

/** Whether an address is one of the app. */
export function isOfApp(url: URL, { app }: Pick<LoginAddresses, "app">): boolean {
  return app.some((address) => isSamePlace(url, new URL(address)));
}

/**
 * What is wrong with how the user came back (interface 4.2); null: nothing.
 * @param status of the redirect; null: the page led there by itself
 */
export function wayBackWarning(status: number | null): string | null {
  if (status === 302) return null;
  const how = status === null ? "by a link, form, script or refresh of its page" : `with HTTP ${status}`;
  return `the app came back ${how}, expected HTTP 302 (interface 4.2)`;
}

/**
 * A callback that came as a POST, which it is not.
 * @param status of the redirect that led to it; null: none did
 */
export function postedCallback(status: number | null): PageTrouble {
  return pageTrouble(
    status === null
      ? "the app's form posts to the guard callback, which is a GET"
      : `the app answered the form with ${status}, by which a browser posts the form to the guard callback`,
    "let the form post to your app, and answer that with HTTP 302 to the callback (interface 4.2)",
  );
}

/**
 * What a guard callback that was refused has in place of the parameters of interface 4.1, by their names only; null
 * where they are all there.
 */
export function parametersHint({ searchParams, hash }: URL): string | null {
  if (searchParams.has("state") && (searchParams.has("code") || searchParams.has("error"))) return null;
  const behind = namesOf(new URLSearchParams(hash.slice(1)));
  if (hash.includes("=")) return `a server never sees what is behind #: put ${behind} behind ? instead`;
  return `it has: ${namesOf(searchParams) || "no parameters"}`;
}

/** A longer list would not help. */
const MAX_NAMES = 8;

function namesOf(parameters: URLSearchParams): string {
  const names = [...new Set(parameters.keys())].map((name) => clip(harmlessLine(name), 40));
  return `${names.slice(0, MAX_NAMES).join(", ")}${names.length > MAX_NAMES ? " …" : ""}`;
}
