import { DOCTOR_TRIES, DOCTOR_TRIES_THIS } from "./doctor-words.ts";

/** What is known about a JWT that was sent. */
export interface SentToken {
  /** Such as HS256. */
  readonly algorithm: string;
  /** What verifies its signature, in words. */
  readonly verifiedWith: string;
  /** The app's secret that signs it; null if a key pair of the platform does. */
  readonly secret: "CLIENT_SECRET" | "APP_SECRET" | null;
  /** Where it was: a header or a query parameter, in words. */
  readonly sentAs: string;
  /** Its claims `aud` and `iss`; undefined if it has none. */
  readonly audience: unknown;
  readonly issuer: unknown;
  /** Names of its claims. */
  readonly claims: readonly string[];
  /** Seconds between `iat` and `exp`; null if one of them is missing. */
  readonly lifetime: number | null;
  /** Id of the organization. */
  readonly organization: number;
  /** Key of the module. */
  readonly module: string;
  /** Whether apps get installation events (choice `install.event`). */
  readonly hasInstallEvent: boolean;
}

/** What an app's message means, and what to check; null if it turns out to mean something else. */
export type WordHint<Facts> = readonly [says: RegExp, hint: (facts: Facts, found: RegExpExecArray) => string | null];

/** More is known about these claims than their names. */
const HINTED_CLAIMS = ["aud", "iss", "exp", "iat"];

const EXPLAINS = "`app-sim log last` shows the request";

/** A function word in the message is not a claim's name. */
const CLAIM_NAME = "[\"'`]?\\b(?!(?:required|mandatory|necessary|a|an|the|this|one|of)\\b)(\\w{1,40})[\"'`]?";
const missingClaim = new RegExp(
  [
    `\\bmissing (?:the |a )?(?:required )?(?:claim:? )?${CLAIM_NAME} claim\\b`,
    `\\bclaim:? ${CLAIM_NAME} (?:is |was )?(?:missing|required)\\b`,
    `${CLAIM_NAME} claim (?:is |was )?(?:missing|required)\\b`,
    `\\bmissing (?:required )?claim:? ${CLAIM_NAME}`,
  ].join("|"),
  "i",
);

/** What libraries say if they get no key; a guard that asks for a key of another kind says something else. */
const missingKey =
  /\b(secret|(public|private|verification|signing) key)\b.{0,30}\b(must (not )?be (provided|null|empty)|must have a value|is (missing|required|undefined|not (set|provided|defined|configured)))|secretOrPrivateKey|zero-length key/i;

/** Whether the message of an app says that it has no key to verify a JWT with. */
export function saysNoKey(words: string): boolean {
  return missingKey.test(words);
}

/** What no different request would change; apps answer it with 401 or 500. */
export const ownFaultHints: readonly WordHint<SentToken>[] = [
  [
    /\b(secret|key)\b.{0,40}\b((must|can|may)( ?not)? be (provided|given|null|empty|(one )?of type)|must have a value|is of invalid type|(is|was) (missing|required|undefined|null|empty|not (set|provided|defined|configured)))|secretOrPrivateKey|zero-length key/i,
    ({ verifiedWith }) => `the app has no key to verify the JWT with: was it started with ${verifiedWith}?`,
  ],
  [
    /reading '(userId|organizationId|ipAddress|moduleKey)'|\breq(uest)?\.body\b.{0,20}\b(undefined|null)\b/i,
    () => "the app has no body to read: does the route parse JSON (express.json(), in Express)?",
  ],
];

/** What messages of apps that refuse a JWT mean. */
export const tokenHints: readonly WordHint<SentToken>[] = [
  ...ownFaultHints,
  [
    missingClaim,
    (token, found) => {
      const name = found.slice(1).find((group) => group !== undefined) ?? "";
      // The claim is there, so the app did not read it, or the message is about something else.
      if (HINTED_CLAIMS.includes(name) || token.claims.includes(name)) return null;
      return `the JWT has no claim ${name}. ${claimsText(token)} The choice guard.jwt.claims adds others`;
    },
  ],
  [
    /\bjti\b|\breplay|\b(already|been) used\b|\bused (before|already)\b/i,
    () => "every call has a JWT with its own jti; only the form of a page sends the page's JWT again",
  ],
  [
    /\bno (auth\w*|bearer|jwt|access)?[ _-]?(token|header|credentials|authorization)\b|(token|authorization|credentials|jwt)( header)?( is| was| were)? (missing(?!.{0,50}\bclaim\b)|required|not (found|provided|present|given)|must be provided)|missing (the )?(auth\w*|jwt|token|bearer)|not authenticated|NO_AUTHORIZATION|nil json web token/i,
    ({ sentAs }) => `the JWT was sent ${sentAs}: does the app read it from there? ${EXPLAINS}`,
  ],
  [
    /\bmalformed\b|\bsegments\b|invalid compact jws|invalid header string/i,
    ({ sentAs }) => `what the app verified is not a complete JWT: it was sent ${sentAs}. ${EXPLAINS}`,
  ],
  [
    /not secure enough|weak ?key|key (size|length)|\d bits/i,
    ({ algorithm, verifiedWith }) =>
      `the app's library requires a longer key for ${algorithm} (RFC 7518, 3.2): the key is ${verifiedWith}, which the configuration sets`,
  ],
  [
    /\balg(orithm)?s?\b|signing method/i,
    ({ algorithm }) =>
      `the JWT's algorithm is ${algorithm}: make the app allow exactly this one, or choose another guard.jwt.algorithm`,
  ],
  [
    /\baud(ience)?\b/i,
    ({ audience }) => claimHint("aud", audience, "the PLATFORM_CLIENT_ID that `app-sim env` prints"),
  ],
  [
    /\biss(uer)?\b/i,
    ({ issuer }) =>
      issuer === undefined
        ? 'the JWT has no iss, because the interface shows none: leave out the check of the issuer. If your platform sends one: --choose \'guard.jwt.claims={"add":{"iss":"…"}}\''
        : claimHint("iss", issuer, "what the choice guard.jwt.claims adds"),
  ],
  [
    /\bsub(ject)?\b/i,
    ({ claims }) =>
      claims.includes("sub")
        ? "the JWT's sub is the user's id, as a string: does the app expect something else?"
        : "the choice guard.jwt.claims leaves sub out of the JWT",
  ],
  [
    /expired|\bexp\b|not (active|yet (active|valid))|\bnbf\b|\biat\b|in the future/i,
    ({ lifetime }) =>
      lifetime === null
        ? "the choice guard.jwt.claims leaves iat or exp out of the JWT: does the app need them?"
        : `the JWT is valid for ${lifetime} s (exp and iat are in seconds): does the app compare them with milliseconds (Date.now())? If not, does the app's clock agree with the platform's (\`app-sim clock\`)?${DOCTOR_TRIES_THIS}`,
  ],
  [
    /signature|verification failed|\bsecret\b/i,
    ({ algorithm, verifiedWith, secret }) =>
      `the JWT is signed with ${algorithm}: verify it with ${verifiedWith}${otherSecret(secret)}${secret === null ? "" : DOCTOR_TRIES}`,
  ],
  [
    /\bmodule/i,
    ({ module }) => `the call is for the module "${module}": does the app know that key, as its manifest names it?`,
  ],
  [
    /organi[sz]ation|\btenant|\bdomain\b|install|not registered/i,
    ({ organization, hasInstallEvent }) =>
      `does the app know the organization ${organization}? ${hasInstallEvent ? "`app-sim install` sends it an installation event for it" : "organization.id in the configuration says which it is"}`,
  ],
];

/** The other of the two secrets, which is easily confused with the signing one. */
function otherSecret(secret: SentToken["secret"]): string {
  return secret === "CLIENT_SECRET" ? " (PLATFORM_APP_SECRET is another one, for webhooks)" : "";
}

function claimHint(name: string, value: unknown, source: string): string {
  return value === undefined
    ? `the choice guard.jwt.claims leaves ${name} out of the JWT`
    : `the JWT's ${name} is ${JSON.stringify(value)}, ${source}: does the app expect that?`;
}

/** Common misunderstandings of claims. */
const claimNotes: Readonly<Record<string, string>> = {
  sub: "a text",
  context: "organization_id, user_id …",
  exp: "in seconds",
};

/** The claims by name, and the one that apps ask for although it is missing. */
function claimsText({ claims, module }: SentToken): string {
  const named = claims.map((name) => {
    const note = name === "module" ? JSON.stringify(module) : claimNotes[name];
    return note === undefined ? name : `${name} (${note})`;
  });
  return `Its claims are ${named.join(", ")}${claims.includes("iss") ? "" : ", without iss"}.`;
}

/** The hint of the first matching entry; null if none matches. */
export function firstHint<Facts>(hints: readonly WordHint<Facts>[], says: string, facts: Facts): string | null {
  for (const [words, hint] of hints) {
    const found = words.exec(says);
    const matching = found && hint(facts, found);
    if (matching !== null) return matching;
  }
  return null;
}
