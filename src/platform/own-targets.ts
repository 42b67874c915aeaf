import { forbiddenTarget } from "../app-client/permitted-lookup.ts";
import type { AppCall, AppGateway } from "../app-client/ports.ts";
import { isHttpUrl } from "../protocol/url.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { neverCalled } from "./answer-url.ts";
import type { SimulatorContext } from "./context.ts";
import { manifestSource } from "./manifests.ts";
import { foreignAddress } from "./own-networks.ts";

/**
 * Refuses addresses that are not the user's own (hardening S29), before anything is sent. Names are resolved here, and
 * again by each connection ({@link ownTargetsOnly}).
 * @throws UsageError for a public address, unless those are allowed
 */
async function requireOwnTargets(urls: readonly string[], allowPublic: boolean): Promise<void> {
  for (const url of urls.filter(isHttpUrl)) {
    const fault = await forbiddenTarget(new URL(url), (address) => foreignAddress(address, allowPublic));
    if (fault === null) continue;
    throw new UsageError(
      "verify-target",
      `${new URL(url).origin} must not get invalid requests: ${fault.message}`,
      "--tamper and verify are for this machine and private networks; add --allow-public if the public app is yours",
    );
  }
}

/**
 * The context of an action that sends invalid requests: they only go to the user's own apps (hardening S29).
 * @throws UsageError for an app or a manifest at a public address, unless those are allowed
 */
export async function onOwnTargets<Context extends SimulatorContext>(
  context: Context,
  allowPublic: boolean,
): Promise<Context> {
  await requireOwnTargets(
    context.config.apps.flatMap((app) => [app.url, manifestSource(app)]),
    allowPublic,
  );
  return { ...context, gateway: ownTargetsOnly(context.gateway, allowPublic) };
}

/** The gateway, without connections to public addresses unless those are allowed. */
function ownTargetsOnly(gateway: AppGateway, allowPublic: boolean): AppGateway {
  return refusing(gateway, (address) => foreignAddress(address, allowPublic));
}

/**
 * The gateway, without connections to addresses that cannot be an app's, whatever a manifest or DNS says (hardening
 * S21).
 */
export function saneTargetsOnly(gateway: AppGateway): AppGateway {
  return refusing(gateway, neverCalled);
}

function refusing(gateway: AppGateway, refusalOf: NonNullable<AppCall["mayConnectTo"]>): AppGateway {
  return {
    call: (call) =>
      gateway.call({ ...call, mayConnectTo: (address) => call.mayConnectTo?.(address) ?? refusalOf(address) }),
  };
}
