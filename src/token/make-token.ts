import { readChoices } from "../config/choices.ts";
import type { App } from "../config/schema.ts";
import { findUser } from "../config/users.ts";
import type { SimulatorContext } from "../platform/context.ts";
import { type InstalledApp, loadManifests } from "../platform/manifests.ts";
import { claimsNow } from "../platform/module-token.ts";
import { didYouMean } from "../protocol/nearest.ts";
import { UsageError } from "../protocol/usage-error.ts";
import type { TokenOptions } from "./token-options.ts";

/** How long ago an expired token expired: more than any clock is off. */
const EXPIRED_SECONDS = 3600;

/** Makes the token of one call to a module (interface 5.1). */
export async function makeToken(
  context: SimulatorContext,
  { module, user, expired = false, algorithm }: TokenOptions,
): Promise<string> {
  const changed = algorithm === undefined || algorithm === "none" ? {} : { "guard.jwt.algorithm": algorithm };
  const choices = readChoices({ ...context.choices, ...changed });
  const subject = {
    ...(await addressee(context, module)),
    user: findUser(context.config, user ?? context.config.login.user),
  };
  const claims = claimsNow(context, choices, subject);
  const back = expired ? choices.get("guard.jwt.lifetime") + EXPIRED_SECONDS : 0;
  const timed = Object.fromEntries(
    Object.entries(claims).map(([name, value]) => [name, times.has(name) ? Number(value) - back : value]),
  );
  if (algorithm !== "none") return context.signer.sign(timed, subject.app, choices);
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${part({ alg: "none", typ: "JWT" })}.${part(timed)}.`;
}

const times: ReadonlySet<string> = new Set(["iat", "exp", "nbf"]);

/** The app that declares a module. If the only app's manifest cannot be read, any module name is accepted. */
async function addressee(
  context: SimulatorContext,
  module: string | undefined,
): Promise<{ readonly app: App; readonly module: string }> {
  const [app, ...others] = context.config.apps;
  if (app === undefined) throw new RangeError("a configuration without apps");
  const installed = await loadManifests(context);
  if (!installed.ok) {
    if (module !== undefined && others.length === 0) return { app, module };
    throw new UsageError(
      "token-module-unknown",
      `no manifest can be read, so it is not known which module the token is for: ${installed.reason}`,
      others.length === 0 ? "name it: --module KEY" : "start the apps, or give their manifests as files",
    );
  }
  const declared = installed.apps.flatMap((each) => keysOf(each).map((key) => ({ app: each.app, module: key })));
  const found = declared.find(({ module: key }) => module === undefined || key === module);
  if (found !== undefined) return found;
  const keys = declared.map(({ module: key }) => key);
  throw new UsageError(
    "token-module-unknown",
    module === undefined
      ? "the manifest declares neither a guard nor a post-import module"
      : `no app has a guard or post-import module "${module}".${didYouMean(module, keys)}`,
    keys.length === 0 ? "name one: --module KEY" : `modules: ${keys.join(", ")}`,
  );
}

function keysOf({ manifest }: InstalledApp): string[] {
  return [...manifest.guards, ...manifest.imports].map(({ key }) => key);
}
