import { generateKeyPairSync } from "node:crypto";
import type { ServerTrust } from "../app-client/ports.ts";
import { listeningAddress, platformAddress, publicNames } from "../config/platform-address.ts";
import type { Config } from "../config/schema.ts";
import { openAuthority } from "./authority.ts";
import { serverCertificate } from "./certificates.ts";
import { type KeyAndCertificate, nameMismatch, readGivenCertificate } from "./given-certificate.ts";

/** How the platform's server speaks TLS. */
export interface ServerTls {
  readonly trust: ServerTrust;
  /** The file with the certificate that clients have to trust; null: the user's own, or none is kept. */
  readonly caFile: string | null;
  /** The key and a certificate that is valid from now on for a week at least, or for as long as the user's own is. */
  current(): KeyAndCertificate;
}

/** Short, because it is renewed while the platform runs. */
const VALID_DAYS = 14;

/**
 * The names of the platform's server: those of this machine, the public one, and the organization's below them. A wildcard
 * matches a call to another organization too, so that it gets an answer that says what is wrong.
 */
function serverNames({ publicUrl, organization: { domain } }: Pick<Config, "publicUrl" | "organization">): string[] {
  const names = ["localhost", ...(domain === null ? [] : [`${domain}.localhost`]), "127.0.0.1", "::1"];
  if (publicUrl === null) return names;
  const { host, organizationHost } = publicNames(publicUrl, domain);
  return [...new Set([...names, host, ...(organizationHost === null ? [] : [organizationHost, `*.${host}`])])];
}

/** The names that the authority of a server vouches for; those below them are among them. */
function vouchedNames({ publicUrl, organization }: Pick<Config, "publicUrl" | "organization">): string[] {
  const names = ["localhost", "127.0.0.1", "::1"];
  if (publicUrl === null) return names;
  const { host } = publicNames(publicUrl, organization.domain);
  return names.includes(host) || host.endsWith(".localhost") ? names : [...names, host];
}

/**
 * Prepares TLS for the platform's server: with the user's own certificate, or with one that app-sim makes.
 * @param directory in which the authority of made certificates is kept; null: it ends with this process
 * @throws UsageError for a certificate of the user that cannot be used
 */
export async function prepareTls(
  config: Pick<Config, "port" | "tls" | "publicUrl" | "organization">,
  directory: string | null,
  { now, onTrouble }: { readonly now: () => number; readonly onTrouble: (message: string) => void },
): Promise<ServerTls> {
  if (typeof config.tls === "object") {
    const { leaf, cert, key } = await readGivenCertificate(config.tls, now());
    // A proxy may have the one for the public name.
    const mismatches = [platformAddress(config), listeningAddress(config)].map((address) =>
      nameMismatch(leaf, address),
    );
    const [mismatch = null] = mismatches.includes(null) ? [] : mismatches;
    if (mismatch !== null) onTrouble(`${mismatch}; --public-url names the address that clients use`);
    return { trust: { ca: cert, fingerprint: leaf.fingerprint256 }, caFile: null, current: () => ({ key, cert }) };
  }
  const authority = await openAuthority(vouchedNames(config), directory, { now: now(), onTrouble });
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const names = serverNames(config);
  return {
    trust: { ca: authority.certificate, fingerprint: null },
    caFile: authority.file,
    current: () => {
      const own = serverCertificate(publicKey, names, authority.privateKey, now(), VALID_DAYS);
      return { key, cert: own + authority.certificate };
    },
  };
}
