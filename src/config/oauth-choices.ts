import { z } from "zod";
import { ACCESS_TOKEN_SECONDS } from "../protocol/limits.ts";
import { type ChoiceDefinition, choice, fixed, oneOf, wholeNumber } from "./choice-definition.ts";

/** What the interface leaves open of the authorization server and the REST API. */
export const oauthChoices = {
  "oauth.code.lifetime": choice(
    "8",
    ["oauth"],
    wholeNumber(1, 86_400),
    600,
    "1 to 86400 (seconds)",
    "ten minutes, single use (RFC 6749 4.1.2)",
  ),
  "oauth.accessToken.lifetime": choice(
    "8",
    ["oauth"],
    wholeNumber(1, 86_400),
    ACCESS_TOKEN_SECONDS,
    "1 to 86400 (seconds)",
    "the default response shows 7200; sent as expires_in",
  ),
  "oauth.refresh.lifetime": choice(
    "8",
    ["oauth"],
    wholeNumber(1, 31_536_000),
    2_592_000,
    "1 to 31536000 (seconds)",
    "30 days, rotated, reuse revokes the grant",
  ),
  "oauth.refresh.secret": oneOf("5.3", ["oauth"], ["required", "optional-with-pkce"], "the table says required"),
  "oauth.exchange.redirectUri": oneOf("5.2", ["oauth"], ["required", "optional"], "the table says required"),
  "oauth.pkce.plain": oneOf(
    "5.2",
    ["oauth"],
    ["accepted", "refused"],
    "the table names plain as well; it gets a warning, because S256 protects better",
  ),
  "oauth.redirect.iss": oneOf(
    "5.2",
    ["oauth"],
    ["off", "on"],
    "no iss (RFC 9207) is shown in the redirect, and some clients stop at an unexpected one",
  ),
  "oauth.token.contentTypes": oneOf(
    "4.1",
    ["oauth"],
    ["json-and-form", "json"],
    "the sample sends JSON, RFC 6749 a form",
  ),
  "oauth.scopes": fixed(
    "5.2",
    ["oauth"],
    "registered",
    "those registered for the app; none registered: any well-formed scope",
  ),
  "oauth.redirectUris": fixed("5.2", ["oauth"], "registered", "an unregistered address cannot be redirected to"),
  "oauth.errors": fixed("7", ["oauth"], "rfc6749", "bodies and statuses of RFC 6749 5.2"),
  "oauth.accessToken": fixed("5.4", ["oauth"], "jwt", "a signed JWT that the app treats as opaque"),
  "oauth.grant.installation": choice(
    "4.1",
    ["install"],
    z.string().min(1),
    "off",
    "the name of the extra grant",
    "no such grant is shown",
  ),
  "api.projects": fixed(
    "4.1",
    ["oauth"],
    "pages-of-25",
    '{"data":[{"data":{…}}],"pagination":{…}}, at most 500 a page',
  ),
  "api.projects.scope": choice(
    "4.1",
    ["oauth"],
    z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, "a name without spaces and quotes"),
    "project",
    "the name of the scope that the listing needs",
    "no scope is named",
  ),
  "api.errors": fixed("7", ["oauth"], "message-and-code", '{"error":{"message","code"}}'),
  "api.rateLimit": choice(
    "8",
    ["oauth"],
    wholeNumber(0, 1_000),
    0,
    "1 to 1000 calls at a time, then 429",
    "off: rate limits are not shown",
  ),
} as const satisfies Record<string, ChoiceDefinition>;
