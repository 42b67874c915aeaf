import { z } from "zod";
import { parseJson } from "../protocol/json.ts";
import { didYouMean } from "../protocol/nearest.ts";
import { allowedValues, valueText } from "../protocol/problems.ts";
import { UsageError } from "../protocol/usage-error.ts";
import {
  type ChoiceDefinition,
  choice,
  fixed,
  headerName,
  headerText,
  oneOf,
  wholeNumber,
} from "./choice-definition.ts";
import { claimsTemplateSchema } from "./claims-template.ts";
import { importChoices } from "./import-choices.ts";
import { installNamesSchema } from "./installation-names.ts";
import { loginChoices } from "./login-choices.ts";
import { oauthChoices } from "./oauth-choices.ts";
import { webhookChoices } from "./webhook-choices.ts";

/** Every choice by its id, in the order in which `app-sim choices` lists them. */
export const choiceDefinitions = {
  "guard.jwt.algorithm": oneOf(
    "5.1",
    ["guard", "post-import"],
    ["HS256", "HS384", "HS512", "RS256", "ES256", "EdDSA"],
    "an app can verify HMAC with the secret it already has; public keys of the others: {auth_url}/.well-known/jwks.json",
  ),
  "guard.jwt.key": oneOf(
    "5.1",
    ["guard", "post-import"],
    ["client-secret", "app-secret"],
    "the HMAC key; the other algorithms sign with the platform's own key pair",
  ),
  "guard.jwt.claims": choice(
    "5.1",
    ["guard", "post-import"],
    claimsTemplateSchema,
    {},
    '{"add":{…},"rename":{…},"drop":[…]}',
    "aud, sub, domain, module, context, iat, exp: enough to bind a token to app, user, organization and module",
  ),
  "guard.jwt.lifetime": choice(
    "5.1",
    ["guard", "post-import"],
    wholeNumber(1, 86_400),
    900,
    "1 to 86400 (seconds)",
    "long enough for a person at a guard page, short enough to be useless later",
  ),
  "guard.type.default": oneOf(
    "2.1",
    ["manifest", "guard"],
    ["direct", "redirect", "frame"],
    "the only type that needs no options.url",
  ),
  "guard.description.shown": oneOf(
    "2.1",
    ["guard"],
    ["frame-only", "always", "never"],
    "only a frame is shown inside a page of the platform",
  ),
  "guard.owner.exempt": choice(
    "2.1",
    ["guard"],
    z.boolean(),
    true,
    "false",
    "the owner, and admins unless applyToAdmins, must not lock themselves out",
  ),
  "guard.denial.status": oneOf(
    "2.2",
    ["guard"],
    ["warn", "strict"],
    "200 is expected; a denial with another status is a denial with a warning (strict: its body is not read)",
  ),
  "guard.timeout.final": choice(
    "8",
    ["guard"],
    wholeNumber(100, 120_000),
    10_000,
    "100 to 120000 (milliseconds)",
    "the limit is shown for the direct call only; the final call gets the same",
  ),
  ...loginChoices,
  "manifest.fieldTypes": fixed(
    "2.1",
    ["manifest", "guard"],
    "as-in-the-example",
    "strings, and a boolean for applyToAdmins, as the examples show",
  ),
  "manifest.optionsUrl": fixed(
    "2.1",
    ["manifest", "guard"],
    "relative-or-absolute",
    "relative to app_base_url; absolute is accepted too",
  ),
  "manifest.version": fixed("9", [], "none", "no payload shown carries a version"),
  ...importChoices,
  ...webhookChoices,
  ...oauthChoices,
  "install.event": oneOf(
    "2.1",
    ["install"],
    ["off", "on"],
    "no installation event is shown; what authenticates it is the appSecret in its body",
  ),
  "install.names": choice(
    "2.1",
    ["install"],
    installNamesSchema,
    {},
    '{"appId":"app_id",…}: other names for what an installation event, or its grant, holds',
    "appId, appSecret, clientId, userId, organizationId, domain, baseUrl; app_id, app_secret, domain, user_id in the grant",
  ),
  "wire.headerPrefix": choice(
    "2.6",
    ["webhook", "load"],
    headerName,
    "X-Platform-",
    "letters, digits and hyphens, as in a header name",
    "as shown",
  ),
  "wire.userAgent": choice(
    "2.6",
    ["webhook", "load"],
    headerText,
    "Platform-Webhook",
    "visible ASCII, as in a header value",
    "as shown",
  ),
  "wire.jobType": choice("2.3", ["post-import"], z.string().min(1), "file-post-import", "any text", "as shown"),
} as const satisfies Record<string, ChoiceDefinition>;

export type ChoiceId = keyof typeof choiceDefinitions;

/** The value of every choice. */
export type Choices = { readonly [Id in ChoiceId]: z.infer<(typeof choiceDefinitions)[Id]["schema"]> };

export const choiceIds = Object.keys(choiceDefinitions) as ChoiceId[];

export const defaultChoices = Object.fromEntries(
  choiceIds.map((id) => [id, choiceDefinitions[id].default]),
) as unknown as Choices;

/**
 * The value of one choice, from a config file, a profile or `--choose`.
 * @throws UsageError for an unknown id or a value that is not allowed; `from` names the place in the message.
 */
export function parseChoice(id: string, value: unknown, from: string): Partial<Choices> {
  if (!Object.hasOwn(choiceDefinitions, id)) {
    throw new UsageError(
      "unknown-choice",
      `${from}: there is no choice "${id}".${didYouMean(id, choiceIds)}`,
      "`app-sim choices` lists them all",
    );
  }
  const definition = choiceDefinitions[id as ChoiceId];
  const parsed = definition.schema.safeParse(value);
  if (parsed.success) return { [id]: parsed.data };
  const names = parsed.error.issues.flatMap(allowedValues).map(String);
  const near = typeof value === "string" ? didYouMean(value, names) : "";
  throw new UsageError(
    "choice-invalid",
    `${from}: ${id} cannot be ${valueText(value)}.${near}`,
    `allowed: ${valueText(definition.default)} (the default)${definition.alternatives === "none" ? " and nothing else" : `, ${definition.alternatives}`}`,
  );
}

/**
 * One `id=value`: the value is the text itself where the choice allows that, else JSON where it parses as such.
 * @throws UsageError as `parseChoice` does; `from` names the flag or variable in the message.
 */
export function parseChooseFlag(text: string, from: string): Partial<Choices> {
  const at = text.indexOf("=");
  if (at < 1) {
    throw new UsageError(
      "choose-syntax",
      `${from}: expected id=value, not ${valueText(text)}`,
      "for example guard.jwt.algorithm=HS512",
    );
  }
  const id = text.slice(0, at);
  const raw = text.slice(at + 1);
  const wantsText =
    Object.hasOwn(choiceDefinitions, id) && choiceDefinitions[id as ChoiceId].schema.safeParse(raw).success;
  return parseChoice(id, wantsText ? raw : jsonOrText(raw), from);
}

function jsonOrText(text: string): unknown {
  const parsed = parseJson(new TextEncoder().encode(text));
  return parsed.ok ? parsed.value : text;
}

/** Gives out choices and remembers which were asked for: those are the ones a result relied on. */
export interface ChoiceReader {
  get<Id extends ChoiceId>(id: Id): Choices[Id];
  /** The value of a choice that the result may turn out not to rely on; `relyOn` says so when it does. */
  peek<Id extends ChoiceId>(id: Id): Choices[Id];
  /** Notes that a result relied on a choice whose value nobody had to ask for. */
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
