import { headerValue } from "../journal/exchange.ts";
import { mediaType } from "../protocol/media-type.ts";
import { answerWords, setsCookie } from "./answer-words.ts";
import type { Answer } from "./read-answer.ts";

/** A framework's message, and where its setting is. */
type Setting = readonly [says: RegExp, setting: string];

/** CSRF checks, by the messages of the frameworks that have them. */
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
  "a CSRF check of the app refused what its own page sent: does the form have the CSRF token in a hidden field, was its cookie set, and is the page's Referrer-Policy same-origin? With no-referrer, browsers send Origin: null, which Django and others refuse";

/**
 * How to exempt a call from a framework's CSRF check; null if apparently none refused it.
 * @param isOfPage whether a page of the app made the call, as such a check requires
 */
export function csrfHint(answer: Answer, isOfPage: boolean): string | null {
  const says = answerWords(answer);
  // 419 is not in RFC 9110: only Laravel uses it, for this.
  if (answer.status !== 419 && !csrfWords.test(says)) return null;
  if (isOfPage) return OWN_FORM;
  const setting = csrfSettings.find(([words]) => words.test(says))?.[1];
  return `a CSRF check refused it, which the platform cannot pass: exempt the module's route${setting === undefined ? "" : ` (${setting})`}`;
}

/** What a bare 403 with a CSRF cookie may mean; null if it sets no such cookie. */
export function csrfCookieHint({ status, headers }: Answer, isOfPage: boolean): string | null {
  if (status !== 403 || !setsCookie(headers, csrfCookie)) return null;
  return isOfPage
    ? `it sets a CSRF cookie: if ${OWN_FORM.replace(":", ",")}`
    : "it sets a CSRF cookie: is the route behind a CSRF check, which the platform cannot pass?";
}

const bodyLimits: readonly Setting[] = [
  // A proxy's page has the same heading as Express.
  [/<center>(nginx|openresty)\b/, "client_max_body_size, in nginx, whose page this is"],
  [/FST_ERR_CTP_BODY_TOO_LARGE/, "bodyLimit, in Fastify"],
  [/Body exceeded .{1,20} limit/, "export const config = { api: { bodyParser: { sizeLimit } } }, in Next"],
  [/exceeds the capacity limit/, "MAX_CONTENT_LENGTH, in Flask"],
  [/http: request body too large/, "http.MaxBytesReader, in Go"],
  [/length limit exceeded/, "DefaultBodyLimit, in axum"],
  [/MaxUploadSizeExceeded|Maximum upload size exceeded/, "spring.servlet.multipart.max-request-size, in Spring"],
  [
    /PayloadTooLargeError|request entity too large$/im,
    "the option limit of express.json() or express.raw(), or jsonLimit of Koa's body parser",
  ],
];

/** The same by the server's own headers. A proxy replaces Server, but passes on X-Powered-By. */
const bodyLimitsByServer: readonly Setting[] = [
  [/^Express\b/, "the option limit of express.json() and express.raw()"],
  [/^Next\.js/, "bodyParser.sizeLimit in the config of the route, in Next"],
  [/^Werkzeug\b/, "MAX_CONTENT_LENGTH, in Flask"],
  [/^PHP\b/, "post_max_size, in php.ini"],
  [/^(Kestrel|ASP\.NET)/, "MaxRequestBodySize, in ASP.NET"],
  [/^(nginx|openresty)\b/, "client_max_body_size, in nginx"],
  [/^Apache\b/, "LimitRequestBody, in Apache"],
];

const ANY_BODY_LIMIT = "it is a setting of its body parser, its server or a proxy in front of it";

/**
 * Which setting limits the body size of an app that answered 413.
 * @param isDelivery whether it is of a webhook: the interface gives no limit for these
 */
export function bodyLimitHint(answer: Answer, isDelivery = false): string {
  const says = `${answerWords(answer)}\n${Buffer.from(answer.body.subarray(0, 1000)).toString("latin1")}`;
  const [server = "", framework = ""] = ["server", "x-powered-by"].map((name) => headerValue(answer.headers, name));
  const setting =
    bodyLimits.find(([words]) => words.test(says)) ??
    bodyLimitsByServer.find(([words]) => words.test(framework)) ??
    bodyLimitsByServer.find(([words]) => words.test(server));
  const upTo = isDelivery ? "" : ", up to 5 MB (interface 8)";
  return `raise the app's body size limit${upTo}: ${setting?.[1] ?? ANY_BODY_LIMIT}`;
}

/** How frameworks read the bodies that only forms send. */
const formParsers: Readonly<Record<string, string>> = {
  "application/x-www-form-urlencoded": "@fastify/formbody in Fastify, express.urlencoded() in Express",
  "multipart/form-data": "@fastify/multipart in Fastify, multer in Express; or leave out the form's enctype",
};

/**
 * What to check if an app answered 415.
 * @param contentType of a form that was sent; null: no form was
 */
export function bodyTypeHint(contentType: string | null): string {
  const type = mediaType(contentType ?? undefined);
  const parser = formParsers[type];
  return parser === undefined
    ? "`app-sim log last` shows both: does the route accept application/json, and is its body parser enabled for it?"
    : `the page's form was sent as ${type}: enable the app's parser for it (${parser})`;
}

/** What the page of a framework that gives no reason in production may mean, by its status. */
const silentPages: readonly (readonly [status: number, says: RegExp, hint: string])[] = [
  [
    400,
    /^Bad Request \(400\)$/m,
    "if it is Django: is the body over DATA_UPLOAD_MAX_MEMORY_SIZE, or is the host of --app missing in ALLOWED_HOSTS?",
  ],
  [
    422,
    /^The change you wanted was rejected/m,
    "if it is Rails: is the route behind its CSRF check, which the platform cannot pass? skip_forgery_protection in the controller exempts it",
  ],
];

/** What such a page may mean; null if it is not one. */
export function silentPageHint(answer: Answer): string | null {
  const words = answerWords(answer);
  return silentPages.find(([status, says]) => status === answer.status && says.test(words))?.[2] ?? null;
}

/** Whether a framework says that the route differs by a trailing slash. */
export function saysSlash(answer: Answer): boolean {
  return answer.status === 500 && /\bAPPEND_SLASH\b/.test(answerWords(answer));
}

/** What else a bare 404 may mean; ends a hint. Koa sends it for a handler that sets no body. */
export function silentHandlerHint({ headers, body }: Answer): string {
  const isBare = Buffer.from(body).toString("latin1") === "Not Found";
  const isPlain = headerValue(headers, "content-type")?.startsWith("text/plain") === true;
  return isBare && isPlain ? ". If the route is there: in Koa, a handler that sets no ctx.body answers 404, too" : "";
}
