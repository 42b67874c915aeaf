import { answerWords, setsCookie } from "./answer-words.ts";
import type { Answer } from "./read-answer.ts";

/** What a framework says, and where its setting is. */
type Setting = readonly [says: RegExp, setting: string];

/** Checks against cross-site requests, by the words of the frameworks that have them. */
const csrfSettings: readonly Setting[] = [
  [/CSRF verification failed/, "@csrf_exempt at its view, in Django"],
  [/The CSRF (session )?tokens? (is|has|do)/, "csrf.exempt(view), in Flask-WTF"],
  [/FST_CSRF_/, "no csrfProtection hook for it, in Fastify"],
  [/InvalidAuthenticityToken|authenticity token/i, "skip_forgery_protection in its controller, in Rails"],
  [/Page Expired|CSRF token mismatch/i, "validateCsrfTokens(except: […]), in Laravel"],
  [/invalid csrf token|CSRF token (missing|mismatch)/i, "its route before the CSRF middleware, in Express"],
];

const csrfWords = /\b[cx]srf\b|_csrf_|cross[- ]site request forgery|authenticity ?token|page expired/i;
const csrfCookie = /csrf|xsrf/i;

const OWN_FORM =
  "a CSRF check of the app refused what its own page sent: does the form have the check's token, in a hidden field, and was the cookie for it set?";

/**
 * How a call is kept out of a framework's check against cross-site requests; null: none refused it, as far as one can see.
 * @param isOfPage whether a page of the app made it, as such a check demands
 */
export function csrfHint(answer: Answer, isOfPage: boolean): string | null {
  const says = answerWords(answer);
  // 419 is no status of RFC 9110: Laravel alone has it, for this.
  if (answer.status !== 419 && !csrfWords.test(says)) return null;
  if (isOfPage) return OWN_FORM;
  const setting = csrfSettings.find(([words]) => words.test(says))?.[1];
  return `a CSRF check refused it, which the platform cannot pass: leave the module's route out${setting === undefined ? "" : ` (${setting})`}`;
}

/** What a bare 403 with the cookie of such a check may mean; null: it sets no such cookie. */
export function csrfCookieHint({ status, headers }: Answer, isOfPage: boolean): string | null {
  if (status !== 403 || !setsCookie(headers, csrfCookie)) return null;
  return isOfPage
    ? `it sets a CSRF cookie: if ${OWN_FORM.replace(":", ",")}`
    : "it sets a CSRF cookie: is a CSRF check in front of the route, which the platform cannot pass?";
}

const bodyLimits: readonly Setting[] = [
  // A proxy's page has the words of Express as its heading.
  [/<center>(nginx|openresty)\b/, "client_max_body_size, in nginx, whose page this is"],
  [/FST_ERR_CTP_BODY_TOO_LARGE/, "bodyLimit, in Fastify"],
  [/Body exceeded .{1,20} limit/, "export const config = { api: { bodyParser: { sizeLimit } } }, in Next"],
  [/exceeds the capacity limit/, "MAX_CONTENT_LENGTH, in Flask"],
  [
    /PayloadTooLargeError|request entity too large$/im,
    "the option limit of express.json(), express.raw() or Koa's body parser",
  ],
];

const allBodyLimits =
  "limit of express.json() and express.raw(), bodyLimit in Fastify, bodyParser.sizeLimit in Next, DATA_UPLOAD_MAX_MEMORY_SIZE in Django";

/** Where an app that answered 413 says how large a body may be. */
export function bodyLimitHint(answer: Answer): string {
  const says = `${answerWords(answer)}\n${Buffer.from(answer.body.subarray(0, 1000)).toString("latin1")}`;
  const setting = bodyLimits.find(([words]) => words.test(says))?.[1];
  return `raise the limit of the app for bodies, up to 5 MB (interface 8): ${setting ?? allBodyLimits}`;
}

/** What the page of a framework that says nothing more in production may mean, by its status. */
const silentPages: readonly (readonly [status: number, says: RegExp, hint: string])[] = [
  [
    400,
    /^Bad Request \(400\)$/m,
    "if it is Django: is the body over DATA_UPLOAD_MAX_MEMORY_SIZE, or the host of --app missing in ALLOWED_HOSTS?",
  ],
  [
    422,
    /^The change you wanted was rejected/m,
    "if it is Rails: is its CSRF check in front of the route, which the platform cannot pass? skip_forgery_protection in the controller leaves it out",
  ],
];

/** What such a page may mean; null: it is none. */
export function silentPageHint(answer: Answer): string | null {
  const words = answerWords(answer);
  return silentPages.find(([status, says]) => status === answer.status && says.test(words))?.[2] ?? null;
}

/** Whether a framework says that the route differs by a slash at the end. */
export function saysSlash(answer: Answer): boolean {
  return answer.status === 500 && /\bAPPEND_SLASH\b/.test(answerWords(answer));
}
