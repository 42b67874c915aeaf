import { appVariable } from "../config/app-variables.ts";
import { platformAddress } from "../config/platform-address.ts";
import type { Config } from "../config/schema.ts";
import { UsageError } from "../protocol/usage-error.ts";

/**
 * What an app needs to know about the platform and its own installation (interface, first paragraph; 5.1, 5.2).
 * Includes the first registered redirect address and the registered scopes if there are any.
 * @param url of the platform; default as configured
 * @param caFile the certificate that a client of the platform has to trust; null if it needs none
 */
export function variablesFor(
  config: Config,
  prefix: string,
  { url = platformAddress(config), caFile = null }: { readonly url?: string; readonly caFile?: string | null } = {},
): Record<string, string> {
  const { apps, organization } = config;
  const variables = Object.fromEntries(
    Object.entries({
      BASE_URL: url,
      AUTH_URL: url,
      API_URL: url,
      SDK_URL: url,
      ORGANIZATION_ID: String(organization.id),
      ORGANIZATION_DOMAIN: organization.domain ?? "",
    }).map(([name, value]) => [prefix + name, value]),
  );
  for (const [index, app] of apps.entries()) {
    const nameOf = (name: string) => prefix + appVariable(apps, index, name);
    variables[nameOf("CLIENT_ID")] = app.clientId;
    variables[nameOf("CLIENT_SECRET")] = app.clientSecret;
    variables[nameOf("APP_SECRET")] = app.appSecret;
    const [redirectUri] = app.redirectUris;
    if (redirectUri !== undefined) variables[nameOf("REDIRECT_URI")] = redirectUri;
    if (app.scopes.length > 0) variables[nameOf("SCOPES")] = app.scopes.join(" ");
  }
  if (caFile !== null) {
    variables[`${prefix}CA_FILE`] = caFile;
    // Node trusts the file in this variable in addition to its defaults.
    variables.NODE_EXTRA_CA_CERTS = caFile;
  }
  return variables;
}

/**
 * @param given the prefix and where it was given, for the message
 * @throws UsageError for a value that cannot begin a variable's name
 */
export function checkPrefix(prefix: unknown, given: string): void {
  if (typeof prefix === "string" && /^[A-Za-z_][A-Za-z0-9_]*$/.test(prefix)) return;
  throw new UsageError(
    "prefix-invalid",
    `${given}: not the beginning of a variable's name`,
    "letters, digits and _, such as PLATFORM_",
  );
}
