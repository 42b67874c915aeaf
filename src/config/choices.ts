import { z } from "zod";
import {
  ACCESS_TOKEN_SECONDS,
  IMPORT_LIMIT_BYTES,
  IMPORT_TIMEOUT_MS,
  LARGEST_WEBHOOK_BYTES,
} from "../protocol/limits.ts";
import {
  type ChoiceDefinition,
  headerName,
  headerText,
  isFreeHeader,
  leftOpenIn,
  wholeNumberChoice,
} from "./choice-definition.ts";
import { claimsTemplateSchema } from "./claims-template.ts";
import { installNamesSchema } from "./installation-names.ts";
import { manifestNamesSchema } from "./manifest-names.ts";

const moduleToken = leftOpenIn("5.1", "guard", "post-import");
const login = leftOpenIn("3.1", "guard");
const importLimit = leftOpenIn("8", "post-import");
const importAnswer = leftOpenIn("2.4", "post-import");
const signature = leftOpenIn("5.1", "webhook", "load");
const webhookBody = leftOpenIn("2.6", "webhook", "load");
const delivery = leftOpenIn("6", "webhook");
const oauthLimit = leftOpenIn("8", "oauth");
const authorization = leftOpenIn("5.2", "oauth");
const oauthCall = leftOpenIn("4.1", "oauth");
const installation = leftOpenIn("2.1", "install");
const grantName = (alternatives: string, reason: string) =>
  leftOpenIn("4.1", "install").custom(() => z.string().min(1), "off", alternatives, reason);

/** Every choice by its id, in the order in which `app-sim choices` lists them. */
export const choiceDefinitions = {
  "guard.jwt.algorithm": moduleToken.oneOf(
    ["HS256", "HS384", "HS512", "RS256", "ES256", "EdDSA"],
    "an app can verify HMAC with the secret it already has; public keys for the others: {auth_url}/.well-known/jwks.json",
  ),
  "guard.jwt.key": moduleToken.oneOf(
    ["client-secret", "app-secret"],
    "the HMAC key; the other algorithms sign with the platform's own key pair",
  ),
  "guard.jwt.claims": moduleToken.custom(
    claimsTemplateSchema,
    {},
    '{"add":{…},"rename":{…},"drop":[…]}',
    "aud, sub, domain, module, context, iat, exp: enough to bind a token to app, user, organization and module; jti: every token of a login is unique",
  ),
  "guard.jwt.lifetime": moduleToken.number(
    [1, 86_400],
    900,
    " (seconds)",
    "long enough for a person at a guard page, short enough to be useless later",
  ),
  "guard.type.default": leftOpenIn("2.1", "manifest", "guard").oneOf(
    ["direct", "redirect", "frame"],
    "the only type that needs no options.url",
  ),
  "guard.description.shown": leftOpenIn("2.1", "guard").oneOf(
    ["frame-only", "always", "never"],
    "only a frame is shown inside a page of the platform",
  ),
  "guard.owner.exempt": leftOpenIn("2.1", "guard").custom(
    () => z.boolean(),
    true,
    "false",
    "the owner, and admins unless applyToAdmins, must not be locked out",
  ),
  "guard.denial.status": leftOpenIn("2.2", "guard").oneOf(
    ["warn", "strict"],
    "200 is expected; a denial with another status is a denial with a warning (strict: its body is not read)",
  ),
  "guard.timeout.final": leftOpenIn("8", "guard").number(
    [100, 120_000],
    10_000,
    " (milliseconds)",
    "the limit is shown only for the direct call; the final call gets the same",
  ),
  "login.attempts": login.number(
    [1, 100],
    3,
    "",
    "how often a wrong password or code, or an untrusted device, may be retried is not shown",
  ),
  "guard.state.lifetime": login.number(
    [1, 86_400],
    600,
    " (seconds)",
    "how long the platform waits for a user, and how long the state of a guard's page is valid",
  ),
  "postImport.auth": leftOpenIn("5.1", "post-import").oneOf(
    ["bearer", "none", "query"],
    "the JWT of the guards protects this call as well; query sends it as jwtToken",
  ),
  "postImport.notModified": importAnswer.oneOf(["accepted", "refused"], '304 without a body says "nothing changed"'),
  "postImport.omitted": importAnswer.oneOf(
    ["removed", "unchanged"],
    "a string that was sent and is missing from the answer is shown as removed, with a warning",
  ),
  "postImport.patterns": leftOpenIn("2.1", "post-import").oneOf(
    ["all", "any"],
    "all given patterns must match; fileContent is matched against the first 64 KiB",
  ),
  "postImport.timeout": importLimit.number(
    [100, IMPORT_TIMEOUT_MS],
    IMPORT_TIMEOUT_MS,
    " (milliseconds)",
    "2 minutes, or less for tests",
  ),
  "postImport.fetch.timeout": importLimit.number(
    [100, 3_600_000],
    120_000,
    " (milliseconds)",
    "for a file that an answer names, no limit is shown; it gets the same time as the call",
  ),
  "postImport.fetch.size": importLimit.number(
    [1024, 2 ** 40],
    4_294_967_296,
    " (bytes)",
    "for a file that an answer names, no limit is shown; 4 GiB is more than a million strings",
  ),
  "limits.size": importLimit.custom(
    () => z.union([z.enum(["5MiB", "5MB"]), wholeNumberChoice(1024, IMPORT_LIMIT_BYTES["5MiB"])]),
    "5MiB",
    "5MB, or a smaller number of bytes from 1024, for tests",
    '"5 MB" as 5,242,880 bytes, with a warning from 5,000,000',
  ),
  "webhook.signature.encoding": signature.oneOf(
    ["hex", "base64", "base64url"],
    "lower-case hexadecimal is the most common",
  ),
  "webhook.signature.prefix": signature.custom(
    () => z.union([z.literal(""), headerText()]),
    "",
    'visible ASCII before the signature, such as "sha256="',
    "the header is shown with just the signature",
  ),
  "webhook.signature.content": signature.oneOf(
    ["body", "timestamp.body", "id.timestamp.body"],
    "the raw body bytes; or `<seconds>.<body>`, with the seconds in {prefix}Timestamp; or the Standard Webhooks scheme, with its headers, and the secret's bytes as key",
  ),
  "webhook.signature.gzip": leftOpenIn("5.1", "webhook").oneOf(
    ["compressed", "uncompressed"],
    "with --gzip, the bytes on the wire are the ones that are signed",
  ),
  "webhook.delivery.header": webhookBody.custom(
    () =>
      z.union([z.literal(""), headerName().refine(isFreeHeader, "a header that HTTP or every delivery already uses")]),
    "",
    "the name of a header that carries the delivery's id, such as X-Platform-Delivery",
    "no such header is shown; the id stays the same across attempts and duplicates",
  ),
  "webhook.batch.events": delivery.number(
    [1, 100_000],
    1000,
    " events in one body",
    "a request can carry several events; how many is not shown",
  ),
  "webhook.batch.bytes": leftOpenIn("6", "webhook", "load").number(
    [1024, LARGEST_WEBHOOK_BYTES],
    262_144,
    " (bytes of one body)",
    "as many bytes as the journal keeps of a body, so that every delivery can be replayed",
  ),
  "webhook.retries": delivery.number([0, 10], 0, " further attempts", "one attempt, so that every failure is visible"),
  "webhook.backoff": delivery.number(
    [0, 600_000],
    1000,
    " (milliseconds before the second attempt, doubled for each further one)",
    "1 s, 2 s, 4 s …: gives a struggling app time",
  ),
  "webhook.jitter": delivery.custom(
    () => z.number().min(0).max(1),
    0.1,
    "0 to 1 (each pause is longer or shorter by up to that share)",
    "retries of many deliveries must not all come at once; the seed decides",
  ),
  "webhook.retryAfter": delivery.oneOf(
    ["shown", "obeyed"],
    "an app's Retry-After is shown in the result; obeyed: the next attempt waits that long, at most 10 minutes",
  ),
  "webhook.timeout": leftOpenIn("7", "webhook", "load").number(
    [100, 600_000],
    30_000,
    " (milliseconds)",
    "generous for a handler that only stores the events",
  ),
  "webhook.order": delivery.number([1, 100], 1, " deliveries at a time", "as given, one delivery at a time"),
  "webhook.ids": webhookBody.oneOf(["strings", "numbers"], "the body is shown with string ids"),
  "oauth.code.lifetime": oauthLimit.number([1, 86_400], 600, " (seconds)", "ten minutes, single use (RFC 6749 4.1.2)"),
  "oauth.accessToken.lifetime": oauthLimit.number(
    [1, 86_400],
    ACCESS_TOKEN_SECONDS,
    " (seconds)",
    "the default response shows 7200; sent as expires_in",
  ),
  "oauth.refresh.lifetime": oauthLimit.number(
    [1, 31_536_000],
    2_592_000,
    " (seconds)",
    "30 days, rotated, reuse revokes the grant",
  ),
  "oauth.reuse.grace": leftOpenIn("5.3", "oauth").number(
    [0, 60_000],
    100,
    " (milliseconds after the answer)",
    "for this long, a second use of a code or refresh token is refused but revokes nothing: it may have been sent before the first answer arrived",
  ),
  "oauth.refresh.secret": leftOpenIn("5.3", "oauth").oneOf(
    ["required", "optional-with-pkce"],
    "the table says required",
  ),
  "oauth.exchange.redirectUri": authorization.oneOf(["required", "optional"], "the table says required"),
  "oauth.pkce.plain": authorization.oneOf(
    ["accepted", "refused"],
    "the table lists plain as well; it gets a warning, because S256 protects better",
  ),
  "oauth.redirect.iss": authorization.oneOf(
    ["off", "on"],
    "no iss (RFC 9207) is shown in the redirect, and some clients fail on one",
  ),
  "oauth.token.contentTypes": oauthCall.oneOf(["json-and-form", "json"], "the sample sends JSON, RFC 6749 a form"),
  "oauth.grant.installation": grantName("the name of the extra grant", "no such grant is shown"),
  "oauth.grant.agent": grantName(
    "the name of the extra grant of apps that act as an agent",
    "no such grant is shown; it is the installation grant with the agent's id, which the event contains",
  ),
  "oauth.grant.callCode": grantName(
    "the name of the extra grant of apps that exchange a code that comes with each call",
    "no such grant is shown; it is the installation grant with a code, which the event and the claim `code` of each JWT contain",
  ),
  "api.projects.scope": oauthCall.custom(
    () => z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, "a name without spaces and quotes"),
    "project",
    "the name of the scope that the listing needs",
    "no scope is named",
  ),
  "api.rateLimit": oauthLimit.number([0, 1_000], 0, " calls at a time, then 429", "off: rate limits are not shown"),
  "install.event": installation.oneOf(
    ["off", "on"],
    "no installation event is shown; what authenticates it is the appSecret in its body",
  ),
  "install.names": installation.custom(
    installNamesSchema,
    {},
    '{"appId":"app_id",…}: other names for fields of the installation event or its grant',
    "appId, appSecret, clientId, userId, agentId, organizationId, domain, baseUrl, code; app_id, app_secret, domain, user_id, agent_id, code in the grant",
  ),
  "manifest.names": leftOpenIn("2.1", "manifest", "guard").custom(
    manifestNamesSchema,
    {},
    '{"frame":"iframe","applyToAdmins":"applyToAdmin","others":["logo","modules.api"]}: other names for what a manifest says about guards, and members to ignore',
    "as shown",
  ),
  "api.unauthorized": oauthCall.custom(
    () => z.string(),
    "",
    "the message of every 401 of the REST API",
    "no body is shown; the message says what is wrong with the token",
  ),
  "wire.headerPrefix": webhookBody.custom(
    headerName,
    "X-Platform-",
    "letters, digits and hyphens, as in a header name",
    "as shown",
  ),
  "wire.userAgent": webhookBody.custom(
    headerText,
    "Platform-Webhook",
    "visible ASCII, as in a header value",
    "as shown",
  ),
  "wire.jobType": leftOpenIn("2.3", "post-import").custom(
    () => z.string().min(1),
    "file-post-import",
    "any text",
    "as shown",
  ),
} as const satisfies Record<string, ChoiceDefinition>;

/** The name of something that the interface leaves open, such as `guard.jwt.claims` (docs/choices.md). */
export type ChoiceId = keyof typeof choiceDefinitions;

/** The value of every choice. */
export type Choices = {
  readonly [Id in keyof typeof choiceDefinitions]: z.infer<ReturnType<(typeof choiceDefinitions)[Id]["schema"]>>;
};

export const choiceIds = Object.keys(choiceDefinitions) as ChoiceId[];

export const defaultChoices = Object.fromEntries(
  choiceIds.map((id) => [id, choiceDefinitions[id].default]),
) as unknown as Choices;

/** Reads choices and remembers which were read: a result relies on those. */
export interface ChoiceReader {
  get<Id extends ChoiceId>(id: Id): Choices[Id];
  /** The value of a choice that the result may not end up relying on; `relyOn` says so if it does. */
  peek<Id extends ChoiceId>(id: Id): Choices[Id];
  /** Notes that a result relied on a choice that was read with `peek`, or not at all. */
  relyOn(id: ChoiceId): void;
  /** Ids in the order of `choiceDefinitions`. */
  used(): ChoiceId[];
}

export function readChoices(choices: Choices): ChoiceReader {
  const used = new Set<ChoiceId>();
  return {
    get: (id) => {
      used.add(id);
      return choices[id];
    },
    peek: (id) => choices[id],
    relyOn: (id) => {
      used.add(id);
    },
    used: () => choiceIds.filter((id) => used.has(id)),
  };
}
