import { type ChoiceReader, readChoices } from "../../config/choices.ts";
import type { App } from "../../config/schema.ts";
import type { ArrivalPurpose } from "../../journal/purposes.ts";
import type { SimulatorContext } from "../../platform/context.ts";
import { createHooks, type Hooks } from "../../platform/hooks.ts";
import type { KeyStore } from "../../platform/key-pairs.ts";
import type { WireAnswer } from "../../protocol/wire-answer.ts";
import type { IncomingRequest } from "../../web/incoming-request.ts";
import { serverMetadata } from "../rules/server-metadata.ts";
import { createAccessTokens } from "./access-tokens.ts";
import { createFaults, type Faults } from "./apply-faults.ts";
import { type AuthorizationEndpoint, createAuthorization } from "./authorization.ts";
import { type Changeable, oauthChangeSchemas } from "./changeable.ts";
import { Grants } from "./grants.ts";
import { handleIntrospection, handleRevocation } from "./manage-tokens.ts";
import type { OAuthContext } from "./oauth-context.ts";
import { type Handled, receive } from "./receive.ts";
import { createRestApi } from "./rest-api.ts";
import { handleToken } from "./token-endpoint.ts";

/** The authorization server and the REST API of the platform (interface 4.1, 5.2 to 5.4). */
export interface OAuth extends AuthorizationEndpoint, Pick<Hooks<Changeable>, "once" | "forget"> {
  token(request: IncomingRequest): Promise<WireAnswer>;
  /** RFC 7009. */
  revoke(request: IncomingRequest): Promise<WireAnswer>;
  /** RFC 7662. */
  introspect(request: IncomingRequest): Promise<WireAnswer>;
  /** @param domain of the organization that the host names; null: the host names none */
  api(request: IncomingRequest, domain: string | null): Promise<WireAnswer>;
  /** Records a request that was refused before it was handled, and returns its answer. */
  refuse(
    purpose: ArrivalPurpose,
    request: IncomingRequest,
    answer: WireAnswer,
    reason: string | null,
  ): Promise<WireAnswer>;
  /** RFC 8414. */
  metadata(): Record<string, unknown>;
  /** The public key of access tokens, as a JWK Set (RFC 7517). */
  jwks(): Promise<{ readonly keys: readonly unknown[] }>;
  /** What goes wrong on purpose. */
  readonly faults: Faults;
  /** The choices that the answers so far relied on. */
  readonly choices: Pick<ChoiceReader, "used">;
  /** The apps that are installed in the organization. */
  readonly installed: OAuthContext["installed"];
  /** Revokes everything that users granted to an app, as when it is uninstalled. */
  revokeAll(app: App): void;
}

export interface OAuthParts {
  readonly keys: KeyStore | null;
  /** Such as `token=500x2`. */
  readonly faults: readonly string[];
  /** Of the random numbers that decide about faults with a probability. */
  readonly seed: number;
}

/** Creates the authorization server and the REST API. */
export function createOAuth(context: SimulatorContext, { keys, faults, seed }: OAuthParts): OAuth {
  const oauth: OAuthContext = {
    context,
    choices: readChoices(context.choices),
    accessTokens: createAccessTokens(keys),
    grants: new Grants(),
    faults: createFaults(faults, seed),
    hooks: createHooks<Changeable>("oauth.once()", oauthChangeSchemas),
    installed: new Set(context.config.apps),
  };
  const api = createRestApi(oauth);
  const answerTo = async (
    purpose: "token" | "revoke" | "introspect" | "api",
    request: IncomingRequest,
    handle: (arrivedAt: number) => Promise<Handled>,
  ) => (await receive(context, purpose, request, handle)).answer;
  return {
    ...createAuthorization(oauth),
    once: oauth.hooks.once,
    forget: oauth.hooks.forget,
    token: (request) => answerTo("token", request, (arrivedAt) => handleToken(oauth, request, arrivedAt)),
    revoke: (request) => answerTo("revoke", request, () => handleRevocation(oauth, request)),
    introspect: (request) => answerTo("introspect", request, () => handleIntrospection(oauth, request)),
    api: (request, domain) => answerTo("api", request, () => api.handle(request, domain)),
    refuse: async (purpose, request, answer, reason) => {
      const decided = { step: purpose, error: String(answer.status), reason } as const;
      return (await receive(context, purpose, request, async () => ({ answer, decided }))).answer;
    },
    metadata: () => serverMetadata(context.baseUrl(), context.config.apps, context.choices),
    jwks: async () => ({ keys: [await oauth.accessTokens.publicKey()] }),
    faults: oauth.faults,
    choices: oauth.choices,
    installed: oauth.installed,
    revokeAll: (app) => oauth.grants.revokeAll(app),
  };
}
