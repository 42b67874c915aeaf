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
  /** The file with the certificate that clients have to trust; null for the user's own, or if none is saved. */
  readonly caFile: string | null;
  /** The key and a certificate that is valid for at least another week, or as long as the user's own is. */
  current(): KeyAndCertificate;
}

/** Short, because it is renewed while the platform runs. */
const VALID_DAYS = 14;

/**
 * The names of the platform's server: those of this machine, the public one, and the organization's subdomains. A
 * wildcard matches calls to other organizations too, so that they get an answer that says what is wrong.
 */
function serverNames({ publicUrl, organization: { domain } }: Pick<Config, "publicUrl" | "organization">): string[] {
  const names = ["localhost", ...(domain === null ? [] : [`${domain}.localhost`]), "127.0.0.1", "::1"];
  if (publicUrl === null) return names;
  const { host, organizationHost } = publicNames(publicUrl, domain);
  return [...new Set([...names, host, ...(organizationHost === null ? [] : [organizationHost, `*.${host}`])])];
}

/** The names that a server's authority may certify, along with their subdomains. */
function vouchedNames({ publicUrl, organization }: Pick<Config, "publicUrl" | "organization">): string[] {
  const names = ["localhost", "127.0.0.1", "::1"];
  if (publicUrl === null) return names;
  const { host } = publicNames(publicUrl, organization.domain);
  return names.includes(host) || host.endsWith(".localhost") ? names : [...names, host];
}

/**
 * Prepares TLS for the platform's server: with the user's own certificate, or with a generated one.
 * @param directory for the authority of generated certificates; null: it ends with this process
 * @throws UsageError for an unusable certificate of the user
 */
export async function prepareTls(
  config: Pick<Config, "port" | "tls" | "publicUrl" | "organization">,
  directory: string | null,
  { now, onTrouble }: { readonly now: () => number; readonly onTrouble: (message: string) => void },
): Promise<ServerTls> {
  if (typeof config.tls === "object") {
    const { leaf, cert, key } = await readGivenCertificate(config.tls, now());
    // The certificate for the public name may be on a proxy.
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
      const own = serverCertificate({ publicKey, names }, authority.privateKey, now(), VALID_DAYS);
      return { key, cert: own + authority.certificate };
    },
  };
}
