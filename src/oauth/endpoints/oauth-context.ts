import { z } from "zod";
import type { ChoiceReader } from "../../config/choices.ts";
import type { SimulatorContext } from "../../platform/context.ts";
import type { Hooks } from "../../platform/hooks.ts";
import type { WireAnswer } from "../../protocol/wire-answer.ts";
import type { AccessTokens } from "./access-tokens.ts";
import type { Faults } from "./apply-faults.ts";
import type { Grants } from "./grants.ts";

/** What the endpoints of the authorization server share. */
export interface OAuthContext {
  readonly context: SimulatorContext;
  /** Notes which choices the answers relied on. */
  readonly choices: ChoiceReader;
  readonly accessTokens: AccessTokens;
  readonly grants: Grants;
  readonly faults: Faults;
  readonly hooks: Hooks<Changeable>;
  /** Client ids of the apps installed in the organization, initially all in the configuration. */
  readonly installed: Set<string>;
}

/** The parts that `oauth.once()` can change, by name, with the types that a change may return. */
export interface Changeable {
  /** The answer of the token endpoint. */
  readonly token: WireAnswer;
  /** The answer of the REST API. */
  readonly api: WireAnswer;
  /** The address that redirects the user's browser to the app. */
  readonly redirect: string;
  /** The claims of an access token, before it is signed. */
  readonly claims: Readonly<Record<string, unknown>>;
}

const answerSchema = z.strictObject({
  status: z.int().min(200).max(599),
  headers: z.record(
    z.string().regex(/^[!#$%&'*+.^_`|~0-9a-z-]+$/, "a header name in lower case"),
    z.string().regex(/^[\t\x20-\x7e\x80-\xff]*$/, "a header value: one line"),
  ),
  body: z.string(),
});

export const oauthChangeSchemas: { readonly [N in keyof Changeable]: z.ZodType<Changeable[N]> } = {
  token: answerSchema,
  api: answerSchema,
  redirect: z.string().regex(/^[\x21-\x7e]+$/, "an address of visible ASCII"),
  claims: z.record(z.string(), z.unknown()),
};
