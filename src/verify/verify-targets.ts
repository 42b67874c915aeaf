import { forbiddenTarget } from "../app-client/permitted-lookup.ts";
import type { AppGateway } from "../app-client/ports.ts";
import type { App } from "../config/schema.ts";
import { manifestSource } from "../platform/manifests.ts";
import { foreignAddress } from "../platform/own-networks.ts";
import { isHttpUrl } from "../protocol/url.ts";
import { UsageError } from "../protocol/usage-error.ts";

/**
 * Refuses apps that are not the user's own (hardening S29), before anything is sent. Names are resolved; each connection
 * checks again what they mean then ({@link ownTargetsOnly}).
 * @throws UsageError for an app or a manifest at a public address, unless those are allowed
 */
export async function requireOwnTargets(apps: readonly App[], allowPublic: boolean): Promise<void> {
  const urls = apps.flatMap((app) => [app.url, manifestSource(app)]).filter(isHttpUrl);
  for (const url of urls) {
    const fault = await forbiddenTarget(new URL(url), (address) => foreignAddress(address, allowPublic));
    if (fault === null) continue;
    throw new UsageError(
      "verify-target",
      `${new URL(url).origin} is not verified: ${fault.message}`,
      "wrong requests are for this machine and private networks; --allow-public for a public app that is yours",
    );
  }
}

/** The gateway, which connects to no public address unless those are allowed. */
export function ownTargetsOnly(gateway: AppGateway, allowPublic: boolean): AppGateway {
  const foreign = (address: string) => foreignAddress(address, allowPublic);
  return {
    call: (call) =>
      gateway.call({ ...call, mayConnectTo: (address) => call.mayConnectTo?.(address) ?? foreign(address) }),
  };
}
