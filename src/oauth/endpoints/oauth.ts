import { readChoices } from "../../config/choices.ts";
import type { App, Config, User } from "../../config/schema.ts";
import type { IncomingPurpose } from "../../journal/purposes.ts";
import type { SimulatorContext } from "../../platform/context.ts";
import { createHooks } from "../../platform/hooks.ts";
import type { KeyStore } from "../../platform/key-pairs.ts";
import type { StateStore } from "../../platform/state-file.ts";
import type { FaultRequest } from "../../protocol/fault-kinds.ts";
import type { WireAnswer } from "../../protocol/wire-answer.ts";
import type { IncomingRequest } from "../../web/incoming-request.ts";
import { serverMetadata } from "../rules/server-metadata.ts";
import { createAccessTokens } from "./access-tokens.ts";
import { createFaults } from "./apply-faults.ts";
import { type ConsentDecision, handleAuthorization, handleDecision, type ShowStep } from "./authorization.ts";
import { type ClockReading, Grants } from "./grants.ts";
import { handleIntrospection, handleRevocation } from "./manage-tokens.ts";
import { type Changeable, type OAuthContext, oauthChangeSchemas } from "./oauth-context.ts";
import { type Handled, receive } from "./receive.ts";
import { createRestApi } from "./rest-api.ts";
import { restoreState, stateToSave } from "./saved-state.ts";
import { handleToken, issueInstallationCode } from "./token-endpoint.ts";

/** The platform's authorization server and REST API (interface 4.1, 5.2 to 5.4). */
export type OAuth = ReturnType<typeof createOAuth>;

interface OAuthParts {
  readonly keys: KeyStore | null;
  /** Keeps installations and tokens across runs; null: they end with this run. */
  readonly state: StateStore | null;
  /** Such as `token=500x2`. */
  readonly faults: readonly (string | FaultRequest)[];
  /** Seed of the random numbers for faults with a probability. */
  readonly seed: number;
}

export function createOAuth(context: SimulatorContext, { keys, state, faults, seed }: OAuthParts) {
  const oauth: OAuthContext = {
    context,
    choices: readChoices(context.choices),
    accessTokens: createAccessTokens(keys),
    grants: new Grants(),
    faults: createFaults(faults, seed),
    hooks: createHooks<Changeable>("oauth.once()", oauthChangeSchemas),
    installed: new Set(context.config.apps.map(({ clientId }) => clientId)),
  };
  const parts = { ...oauth, config: context.config };
  if (state !== null) restoreState(state.load(), parts);
  const save = () => state?.save(() => stateToSave(parts));
  const api = createRestApi(oauth);
  return {
    /**
     * Handles an authorization request from a user's browser.
     * @param show shows pages; default none
     * @param config the configuration of the command that makes the request; default the platform's
     */
    request: (request: IncomingRequest, show?: ShowStep, config: Config = context.config) =>
      handleAuthorization(oauth, request, config, show),
    /** Handles the user's decision; each request is decided once. */
    decide: (request: IncomingRequest, decision: ConsentDecision, show?: ShowStep) =>
      handleDecision(oauth, request, decision, show),
    token: (request: IncomingRequest) =>
      answerTo(context, "token", request, (arrivedAt) => handleToken(oauth, request, arrivedAt)).finally(save),
    /** RFC 7009. */
    revoke: (request: IncomingRequest) =>
      answerTo(context, "revoke", request, () => handleRevocation(oauth, request)).finally(save),
    /** RFC 7662. */
    introspect: (request: IncomingRequest) =>
      answerTo(context, "introspect", request, () => handleIntrospection(oauth, request)),
    /** @param domain the organization's domain in the host name; null: there is none */
    api: (request: IncomingRequest, domain: string | null) =>
      answerTo(context, "api", request, () => api(request, domain)),
    /** Records a request that was refused before it was handled, and returns its answer. */
    refuse: (purpose: IncomingPurpose, request: IncomingRequest, answer: WireAnswer, reason: string | null) => {
      const decided = { step: purpose, error: String(answer.status), reason } as const;
      return answerTo(context, purpose, request, async () => ({ answer, decided }));
    },
    /** RFC 8414. */
    metadata: () => serverMetadata(context.baseUrl(), context.config.apps, context.choices),
    /** The public key of access tokens, as a JWK Set (RFC 7517). */
    jwks: async () => ({ keys: [await oauth.accessTokens.publicKey()] }),
    once: oauth.hooks.once,
    forget: oauth.hooks.forget,
    faults: oauth.faults,
    choices: oauth.choices,
    installed: oauth.installed,
    /** Marks an app as installed, or as not installed, which revokes all its grants. */
    setInstalled: (app: App, isInstalled: boolean) => {
      setInstalled(oauth, app, isInstalled);
      save();
    },
    /** A code for an installation event: it is exchanged without redirect_uri. */
    issueInstallationCode: (app: App, user: User) => issueInstallationCode(oauth, app, user),
    /** Sets the lifetime in seconds of the access token of a code's exchange. */
    shorten: (code: string, seconds: number) => {
      const issued = oauth.grants.codes.find(code);
      if (issued !== null) issued.tokenLifetime = seconds;
    },
    /** Forgets all tokens and codes; every app is installed again, as at the start. */
    reset: () => {
      oauth.grants.clear();
      for (const { clientId } of context.config.apps) oauth.installed.add(clientId);
      state?.clear();
    },
  };
}

/** Handles a request, records it with its answer, and returns the answer. */
async function answerTo(
  context: SimulatorContext,
  purpose: IncomingPurpose,
  request: IncomingRequest,
  handle: (arrivedAt: ClockReading) => Promise<Handled>,
): Promise<WireAnswer> {
  return (await receive(context, purpose, request, handle)).answer;
}

function setInstalled({ installed, grants }: OAuthContext, app: App, isInstalled: boolean): void {
  if (isInstalled) installed.add(app.clientId);
  else {
    installed.delete(app.clientId);
    grants.revokeAll(app);
  }
}
