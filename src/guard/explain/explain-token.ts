import { secretKey } from "../../config/app-variables.ts";
import { type ChoiceReader, readChoices } from "../../config/choices.ts";
import { platformAddress } from "../../config/platform-address.ts";
import { findUser } from "../../config/users.ts";
import type { SimulatorContext } from "../../platform/context.ts";
import { claimsNow } from "../../platform/module-token.ts";
import { isAsymmetric } from "../../platform/tokens.ts";
import type { ExplainTokenOptions } from "./explain-token-options.ts";
import type { TokenExplanation } from "./token-explanation.ts";
import { tokenVerifiers } from "./token-verifiers.ts";

/** Placeholder for the key of a guard if none is named: no manifest is needed. */
const ANY_MODULE = "MODULE-KEY";

/** How the token of a call to a guard or a post-import module is made, with code that verifies it (interface 5.1). */
export async function explainToken(
  context: SimulatorContext,
  { module = ANY_MODULE }: ExplainTokenOptions,
): Promise<TokenExplanation> {
  const { config, signer } = context;
  const [app] = config.apps;
  if (app === undefined) throw new RangeError("a configuration without apps");
  const choices = readChoices(context.choices);
  const { header } = await signer.signingKey(app, choices);
  const user = findUser(config, config.login.user);
  const claims = claimsNow(context, choices, { app, module, user });
  const names = claimNames(choices);
  const isByKeys = isAsymmetric(header.alg);
  const secret = choices.get("guard.jwt.key") === "client-secret" ? "clientSecret" : "appSecret";
  const key = secretKey(config.apps, app, secret);
  const keysUrl = `${platformAddress(config)}/.well-known/jwks.json`;
  return {
    command: "guard-token",
    header: { ...header },
    claims,
    key: isByKeys ? null : { ...key, characters: app[secret].length },
    keysUrl: isByKeys ? keysUrl : null,
    names: {
      module: names.module in claims ? names.module : null,
      user: names.sub in claims ? names.sub : null,
      organization: names.context in claims ? `${names.context}.organization_id` : null,
    },
    verifiers: await tokenVerifiers({
      algorithm: header.alg,
      audience: claims[names.aud] === app.clientId ? names.aud : null,
      expiry: typeof claims[names.exp] === "number" ? names.exp : null,
      clientId: secretKey(config.apps, app, "clientSecret").variable.replace("CLIENT_SECRET", "CLIENT_ID"),
      secret: key.variable,
      keysUrl,
    }),
    warnings: [],
    choices: choices.used(),
  };
}

/** Names of the claims that a verifier checks. */
function claimNames(choices: ChoiceReader) {
  const renamed = choices.get("guard.jwt.claims").rename ?? {};
  const nameOf = (name: "aud" | "context" | "exp" | "module" | "sub") => renamed[name] ?? name;
  return {
    aud: nameOf("aud"),
    context: nameOf("context"),
    exp: nameOf("exp"),
    module: nameOf("module"),
    sub: nameOf("sub"),
  };
}
