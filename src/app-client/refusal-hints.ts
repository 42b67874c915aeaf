import { answerWords } from "./answer-words.ts";
import { OWN_LOG } from "./explain-outcome.ts";
import { csrfCookieHint, csrfHint, silentPageHint } from "./framework-hints.ts";
import type { Answer } from "./read-answer.ts";

/** What is known of a JWT that was sent. */
export interface SentToken {
  /** Such as HS256. */
  readonly algorithm: string;
  /** What verifies its signature, in words. */
  readonly verifiedWith: string;
  /** The app's secret that signs it; null: none does, but a key pair of the platform. */
  readonly secret: "CLIENT_SECRET" | "APP_SECRET" | null;
  /** Where it was: a header or a query parameter, in words. */
  readonly sentAs: string;
  /** Its claims `aud` and `iss`; undefined: it has none. */
  readonly audience: unknown;
  readonly issuer: unknown;
  /** Names of its claims. */
  readonly claims: readonly string[];
  /** Seconds between `iat` and `exp`; null: it lacks one of them. */
  readonly lifetime: number | null;
  /** Id of the organization. */
  readonly organization: number;
  /** Key of the module. */
  readonly module: string;
  /** Whether apps are told of their installation (choice `install.event`). */
  readonly hasInstallEvent: boolean;
}

/** What authenticated a call, and what else is known of it that may explain a refusal. */
export interface CallFacts {
  readonly by: "token" | "signature" | "body" | "page" | "none";
  /** For `token`. */
  readonly token?: SentToken;
  /**
   * What the app took just before: for `token` the guard's call with such a JWT, or the page with this very one; for
   * `signature` the same delivery, rightly signed.
   */
  readonly tookBefore?: "call" | "page" | "delivery";
  /** For `signature`: the name of its header. */
  readonly header?: string;
  /** What was called. */
  readonly url?: string;
  /** How; default POST for `signature` and `body`. */
  readonly method?: string;
  /** Why the platform refused a request of the app while the call was open; null: it refused none. */
  readonly refusedMeanwhile?: string | null;
  /** false: the app was uninstalled. */
  readonly isInstalled?: boolean;
}

/** What an app's words mean, and what to look at; null: nothing after all. */
type WordHint<Facts> = readonly [says: RegExp, hint: (facts: Facts, found: RegExpExecArray) => string | null];

/** Of these claims more is told by name. */
const TOLD_CLAIMS = ["aud", "iss", "exp", "iat"];

const EXPLAINS = "`app-sim log last` shows the request";

/** What no request can mend; the app may answer it with 401 or with 500. */
const ownFaultHints: readonly WordHint<SentToken>[] = [
  [
    /\b(secret|key)\b.{0,40}\b((must|can|may)( ?not)? be (provided|given|null|empty|(one )?of type)|must have a value|is of invalid type|(is|was) (missing|required|undefined|null|empty|not (set|provided|defined|configured)))|secretOrPrivateKey|zero-length key/i,
    ({ verifiedWith }) => `the app has no key to verify the JWT with: was it started with ${verifiedWith}?`,
  ],
  [
    /reading '(userId|organizationId|ipAddress|moduleKey)'|\breq(uest)?\.body\b.{0,20}\b(undefined|null)\b/i,
    () => "the app has no body to read: does the route parse JSON (express.json(), in Express)?",
  ],
];

const tokenHints: readonly WordHint<SentToken>[] = [
  ...ownFaultHints,
  [
    /\bmissing (?:the |a )?(?:required )?(?:claim:? )?["'`]?(\w{1,40})["'`]? claim\b|\bclaim:? ["'`]?(\w{1,40})["'`]? (?:is |was )?(?:missing|required)\b|["'`]?\b(\w{1,40})["'`]? claim (?:is |was )?(?:missing|required)\b|\bmissing (?:required )?claim:? ["'`]?(\w{1,40})/i,
    (token, found) => {
      const name = found.slice(1).find((group) => group !== undefined) ?? "";
      // What is there was not read, or the words are about something else.
      if (TOLD_CLAIMS.includes(name) || token.claims.includes(name)) return null;
      return `the JWT has no claim ${name}. ${claimsText(token)} The choice guard.jwt.claims adds others`;
    },
  ],
  [
    /\bjti\b|\breplay|\b(already|been) used\b|\bused (before|already)\b/i,
    () => "each call has a JWT with a jti of its own; only what a page sends on brings that of the page again",
  ],
  [
    /\bno (auth\w*|bearer|jwt|access)?[ _-]?(token|header|credentials|authorization)\b|(token|authorization|credentials|jwt)( header)?( is| was| were)? (missing(?!.{0,50}\bclaim\b)|required|not (found|provided|present|given)|must be provided)|missing (the )?(auth\w*|jwt|token|bearer)|not authenticated|NO_AUTHORIZATION|nil json web token/i,
    ({ sentAs }) => `the JWT was sent ${sentAs}: does the app look for it there? ${EXPLAINS}`,
  ],
  [
    /\bmalformed\b|\bsegments\b|invalid compact jws|invalid header string/i,
    ({ sentAs }) => `what the app verified is no whole JWT: it was sent ${sentAs}. ${EXPLAINS}`,
  ],
  [
    /not secure enough|weak ?key|key (size|length)|\d bits/i,
    ({ algorithm, verifiedWith }) =>
      `the app's library wants a longer key for ${algorithm} (RFC 7518, 3.2): it is ${verifiedWith}, and the configuration sets it`,
  ],
  [
    /\balg(orithm)?s?\b|signing method/i,
    ({ algorithm }) =>
      `the JWT's algorithm is ${algorithm}: let the app allow exactly that one, or choose another guard.jwt.algorithm`,
  ],
  [
    /\baud(ience)?\b/i,
    ({ audience }) => claimHint("aud", audience, "the PLATFORM_CLIENT_ID that `app-sim env` prints"),
  ],
  [
    /\biss(uer)?\b/i,
    ({ issuer }) =>
      issuer === undefined
        ? 'the JWT has no iss, because the interface shows none; the choice guard.jwt.claims={"add":{"iss":"…"}} adds it'
        : claimHint("iss", issuer, "what the choice guard.jwt.claims adds"),
  ],
  [
    /expired|\bexp\b|not (active|yet (active|valid))|\bnbf\b|\biat\b|in the future/i,
    ({ lifetime }) =>
      lifetime === null
        ? "the choice guard.jwt.claims leaves iat or exp out of the JWT: does the app need them?"
        : `the JWT is valid for ${lifetime} s from when it was sent, by the platform's clock: does the app's clock agree (\`app-sim clock\`)?`,
  ],
  [
    /signature|verification failed|\bsecret\b/i,
    ({ algorithm, verifiedWith, secret }) =>
      `the JWT is signed with ${algorithm}: its signature is verified with ${verifiedWith}${otherSecret(secret)}${secret === null ? "" : DOCTOR_TRIES}`,
  ],
  [
    /\bmodule/i,
    ({ module }) => `the call is for the module "${module}": does the app know that key, as its manifest names it?`,
  ],
  [
    /organi[sz]ation|\btenant|\bdomain\b|install|not registered/i,
    ({ organization, hasInstallEvent }) =>
      `does the app know the organization ${organization}? ${hasInstallEvent ? "`app-sim install` tells it of its installation there" : "organization.id in the configuration says which it is"}`,
  ],
];

/** Of the two secrets, the one that is easily taken for the one that signs. */
function otherSecret(secret: SentToken["secret"]): string {
  return secret === "CLIENT_SECRET" ? " (PLATFORM_APP_SECRET is another one, for webhooks)" : "";
}

function claimHint(name: string, value: unknown, source: string): string {
  return value === undefined
    ? `the choice guard.jwt.claims leaves ${name} out of the JWT`
    : `the JWT's ${name} is ${JSON.stringify(value)}, ${source}: does the app expect that?`;
}

const signatureHints: readonly WordHint<string>[] = [
  [
    /(missing|no|without|required|empty)\b.{0,30}\b(signature|header)|signature.{0,30}(missing|required|not (found|provided|present))/i,
    (header) => `the signature is in ${header}: does the app read that header?`,
  ],
  [
    /timestamp|too old|stale|tolerance|expired/i,
    () =>
      "does the app want a signed time? The choice webhook.signature.content says what is signed; `app-sim clock` shows the platform's time",
  ],
];

/** What may be wrong where the app's own words do not tell. */
function usualHint({ by, token, tookBefore }: CallFacts): string {
  switch (by) {
    case "token":
      return token === undefined
        ? "does the app verify the JWT as the platform signs it?"
        : usualTokenHint(token, tookBefore);
    case "signature":
      return "does the app verify the signature over the raw bytes of the body, with the APP_SECRET that `app-sim env` prints?";
    case "body":
      return "nothing but the APP_SECRET in its body authenticates this call: it has no Authorization header and no signature";
    case "page":
      return "neither the address nor the form brought the page's JWT here: if the app knows its user by a cookie instead, did the page set it?";
    case "none":
      return "this call carries no credentials";
  }
}

/** Where to find out what an app that says nothing wants. */
export const ASK_DOCTOR = "What does `app-sim doctor` say?";

/** What finds out in which other form an app takes its secret. */
const DOCTOR_TRIES =
  ". If the app has that one: `app-sim doctor` tries the usual mistakes, such as quotes or a line end around it, or base64";

/** A hint for whoever asks the doctor already. */
export function withoutDoctor(hint: string): string {
  return hint.replace(` ${ASK_DOCTOR}`, "").replace(DOCTOR_TRIES, "");
}

/** Whether a guard's words, as it denies, are about the token that it was sent, rather than about its user. */
export function doubtsToken(words: string): boolean {
  const about = /\b(?:jwt|bearer|token|signature)\b/i;
  const doubt =
    /\b(?:invalid|not valid|malformed|missing|wrong|bad|mismatch|verif\w+ fail\w*|(?:not|n't) (?:be )?verif\w+|rejected)\b/i;
  return about.test(words) && doubt.test(words);
}

/** What to look at where a guard denied in such words, which is no refusal of the call; null: it was sent no token. */
export function doubtedTokenHint({ token }: CallFacts): string | null {
  if (token === undefined) return null;
  return `if that is about the JWT of the call: a guard that does not believe it answers 401, and not 200. Is its signature verified with ${token.verifiedWith}? ${ASK_DOCTOR}`;
}

/** What to ask where the platform tells apps of their installation, as the end of a hint. */
export function installedHint(hasInstallEvent: boolean): string {
  return hasInstallEvent ? " Was it told of its installation (`app-sim install`)?" : "";
}

function usualTokenHint(token: SentToken, tookBefore: CallFacts["tookBefore"]): string {
  const { sentAs, algorithm, hasInstallEvent } = token;
  if (tookBefore === "page")
    return "the page took the JWT that its form sends a second time here: does the app take each jti only once?";
  if (tookBefore === "call")
    return `the page's JWT is sent ${sentAs}: does the page look for it there? The guard's own call, with one signed alike, was answered`;
  const installed = installedHint(hasInstallEvent);
  const audience = token.audience === undefined ? "" : ", and its aud with PLATFORM_CLIENT_ID";
  const started = token.secret === null ? "" : " `app-sim dev -- COMMAND` starts the app with the right values.";
  const verifiedWith = token.verifiedWith + otherSecret(token.secret);
  return `does the app verify the JWT (${algorithm}, ${sentAs}) with ${verifiedWith}${audience}? ${claimsText(token)}${started}${installed} ${ASK_DOCTOR}`;
}

/** What about a claim is often taken for something else. */
const claimNotes: Readonly<Record<string, string>> = {
  sub: "a text",
  context: "organization_id, user_id …",
  exp: "in seconds",
};

/** The claims by their names, and the one that apps ask for though it is not there. */
function claimsText({ claims, module }: SentToken): string {
  const named = claims.map((name) => {
    const note = name === "module" ? JSON.stringify(module) : claimNotes[name];
    return note === undefined ? name : `${name} (${note})`;
  });
  return `Its claims are ${named.join(", ")}${claims.includes("iss") ? "" : ", without iss"}.`;
}

/** "Missing or not valid": such words leave open what it is. */
const eitherOr =
  /\b(missing|invalid|not valid|expired)\b.{0,12}\bor\b|\bor\b.{0,12}\b(missing|invalid|not valid|expired)\b/i;

/** What the app's words say of what was sent; null: nothing that is known here. */
function wordHint(answer: Answer, { by, token, header }: CallFacts): string | null {
  const says = answerWords(answer);
  if (eitherOr.test(says)) return null;
  if (by === "token" && token !== undefined) return firstHint(tokenHints, says, token);
  return by === "signature" && header !== undefined ? firstHint(signatureHints, says, header) : null;
}

function firstHint<Facts>(hints: readonly WordHint<Facts>[], says: string, facts: Facts): string | null {
  for (const [words, hint] of hints) {
    const found = words.exec(says);
    const told = found && hint(facts, found);
    if (told !== null) return told;
  }
  return null;
}

/** What servers and frameworks say of a failure in production: nothing. */
const SILENT_FAULT = /^(?:internal server error|server error|error|oops|something went wrong|500|[\W_])*$/i;

/** What to look at where an app failed without a word at a call with a JWT: many a library throws where it has no key. */
export function silentFaultHint(answer: Answer, { by, token, tookBefore }: CallFacts): string | null {
  if (by !== "token" || token === undefined || tookBefore !== undefined) return null;
  if (!SILENT_FAULT.test(answerWords(answer).slice(0, WORDS_OF_A_FAULT))) return null;
  return `${OWN_LOG}; if that names no cause: does the app run with ${token.verifiedWith}?`;
}

const WORDS_OF_A_FAULT = 200;

/** What the words of an app that failed at a call say of it; null: nothing that is known here. */
export function ownFaultHint(answer: Answer, { by, token }: CallFacts): string | null {
  if (by !== "token" || token === undefined) return null;
  return firstHint(ownFaultHints, answerWords(answer), token);
}

/** What an app that refused a call should look at, by what was sent, what happened meanwhile, and what its answer says. */
export function refusalHint(answer: Answer, facts: CallFacts): string {
  return circumstanceHint(answer, facts) ?? wordHint(answer, facts) ?? csrfCookieHint(answer) ?? usualHint(facts);
}

/** The same for a 4XX that need not be about credentials; null: nothing is known. */
export function badRequestHint(answer: Answer, facts: CallFacts): string | null {
  return circumstanceHint(answer, facts) ?? silentPageHint(answer) ?? wordHint(answer, facts);
}

/** What is known without the app's words about credentials. */
function circumstanceHint(answer: Answer, { refusedMeanwhile = null, isInstalled = true }: CallFacts): string | null {
  if (refusedMeanwhile !== null) return refusedMeanwhile;
  const csrf = csrfHint(answer);
  if (csrf !== null) return csrf;
  return isInstalled ? null : "the app was uninstalled: `app-sim install` tells it of a new installation";
}
