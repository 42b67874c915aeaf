import { type ChoiceReader, readChoices } from "../../config/choices.ts";
import type { App } from "../../config/schema.ts";
import type { ArrivalPurpose } from "../../journal/exchange.ts";
import type { SimulatorContext } from "../../platform/context.ts";
import { createHooks, type Hooks } from "../../platform/hooks.ts";
import type { KeyStore } from "../../platform/key-pairs.ts";
import type { WireAnswer } from "../../protocol/wire-answer.ts";
import type { Arrival } from "../../web/arrival.ts";
import { createAccessTokens } from "../rules/access-tokens.ts";
import { createFaults, type Faults } from "./apply-faults.ts";
import { type Authorization, createAuthorization } from "./authorization.ts";
import { type Changeable, changeableSchemas } from "./changeable.ts";
import { createGrants } from "./grants.ts";

import { handleIntrospection, handleRevocation } from "./manage-tokens.ts";
import { serverMetadata } from "./metadata.ts";
import type { OAuthContext } from "./oauth-context.ts";
import { type Handled, receive } from "./receive.ts";
import { createRestApi } from "./rest-api.ts";
import { handleToken } from "./token-endpoint.ts";

/** The authorization server and the REST API of the platform (interface 4.1, 5.2 to 5.4). */
export interface OAuth extends Authorization, Pick<Hooks<Changeable>, "once" | "forget"> {
  token(arrival: Arrival): Promise<WireAnswer>;
  /** RFC 7009. */
  revoke(arrival: Arrival): Promise<WireAnswer>;
  /** RFC 7662. */
  introspect(arrival: Arrival): Promise<WireAnswer>;
  /** @param domain of the organization that the host names; null: the host names none */
  api(arrival: Arrival, domain: string | null): Promise<WireAnswer>;
  /** Notes a request that was refused before it was looked at, and what it was answered. */
  refuse(purpose: ArrivalPurpose, arrival: Arrival, answer: WireAnswer, reason: string | null): Promise<WireAnswer>;
  /** RFC 8414. */
  metadata(): Record<string, unknown>;
  /** The public key of access tokens, as a JWK Set (RFC 7517). */
  jwks(): Promise<{ readonly keys: readonly unknown[] }>;
  /** Wrong things that the platform does on demand. */
  readonly faults: Faults;
  /** What the answers so far relied on. */
  readonly choices: Pick<ChoiceReader, "used">;
  /** The apps that are installed in the organization. */
  readonly installed: OAuthContext["installed"];
  /** Revokes whatever users granted an app, as when it is uninstalled. */
  revokeAll(app: App): void;
}

export interface OAuthParts {
  readonly keys: KeyStore | null;
  /** Such as `token=500x2`. */
  readonly faults: readonly string[];
  /** For what happens by chance. */
  readonly seed: number;
}

/** Puts the authorization server together: nothing is issued yet. */
export function createOAuth(context: SimulatorContext, { keys, faults, seed }: OAuthParts): OAuth {
  const oauth: OAuthContext = {
    context,
    choices: readChoices(context.choices),
    accessTokens: createAccessTokens(keys),
    grants: createGrants(),
    faults: createFaults(faults, seed),
    hooks: createHooks<Changeable>("oauth.once()", changeableSchemas),
    installed: new Set(context.config.apps),
  };
  const api = createRestApi(oauth);
  const answerTo = async (
    purpose: "token" | "revoke" | "introspect" | "api",
    arrival: Arrival,
    handle: (arrivedAt: number) => Promise<Handled>,
  ) => (await receive(context, purpose, arrival, handle)).answer;
  return {
    ...createAuthorization(oauth),
    once: oauth.hooks.once,
    forget: oauth.hooks.forget,
    token: (arrival) => answerTo("token", arrival, (arrivedAt) => handleToken(oauth, arrival, arrivedAt)),
    revoke: (arrival) => answerTo("revoke", arrival, () => handleRevocation(oauth, arrival)),
    introspect: (arrival) => answerTo("introspect", arrival, () => handleIntrospection(oauth, arrival)),
    api: (arrival, domain) => answerTo("api", arrival, () => api.handle(arrival, domain)),
    refuse: async (purpose, arrival, answer, reason) => {
      const finding = { step: purpose, error: String(answer.status), reason } as const;
      return (await receive(context, purpose, arrival, async () => ({ answer, finding }))).answer;
    },
    metadata: () => serverMetadata(context),
    jwks: async () => ({ keys: [await oauth.accessTokens.publicKey()] }),
    faults: oauth.faults,
    choices: oauth.choices,
    installed: oauth.installed,
    revokeAll: oauth.grants.revokeAll,
  };
}
