import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { replaceFile } from "../journal/replace-file.ts";
import { keyFiles } from "../platform/key-file.ts";
import { loadOrMakeKey } from "../platform/key-pairs.ts";
import { authorityCertificate, permittedNames } from "./certificates.ts";

const DAY_MS = 86_400_000;
const VALID_DAYS = 730;
/** One that is about to expire is replaced at the next start. */
const RENEWED_DAYS_BEFORE = 60;

/** Signs the certificates of this platform's server. */
export interface Authority {
  readonly privateKey: KeyObject;
  /** PEM; clients trust it. */
  readonly certificate: string;
  /** Where the certificate is saved; null if it is not. */
  readonly file: string | null;
}

/**
 * Opens the authority saved in a directory, or creates one. Its key stays (0600), so that whatever trusts it keeps
 * doing so; its certificate, `tls-ca.pem`, is replaced before it expires, and if it does not permit one of the names.
 * @param directory null: the authority lives as long as the process
 * @param onTrouble gets a message if it cannot be saved, or if clients need a new certificate
 */
export async function openAuthority(
  names: readonly string[],
  directory: string | null,
  { now, onTrouble }: { readonly now: number; readonly onTrouble: (message: string) => void },
): Promise<Authority> {
  const jwk = await loadOrMakeKey("tls-ca", "ES256", directory === null ? null : keyFiles(directory, onTrouble));
  const privateKey = createPrivateKey({ key: { ...jwk }, format: "jwk" });
  const file = directory === null ? null : path.join(directory, "tls-ca.pem");
  const kept = file === null ? null : await readCertificate(file);
  if (kept !== null && isUsable(kept, privateKey, names, now))
    return { privateKey, certificate: kept.toString(), file };
  const certificate = authorityCertificate(privateKey, names, now, VALID_DAYS);
  const isKept = file !== null && keep(certificate, file, onTrouble);
  if (isKept && kept !== null)
    onTrouble(`${file} was replaced: restart the programs that trust the old one, or import the new one`);
  return { privateKey, certificate, file: isKept ? file : null };
}

async function readCertificate(file: string): Promise<X509Certificate | null> {
  try {
    return new X509Certificate(await readFile(file));
  } catch {
    return null;
  }
}

function isUsable(kept: X509Certificate, privateKey: KeyObject, names: readonly string[], now: number): boolean {
  if (!kept.checkPrivateKey(privateKey)) return false;
  if (Date.parse(kept.validTo) < now + RENEWED_DAYS_BEFORE * DAY_MS) return false;
  const permitted = permittedNames(kept.raw);
  return names.every((name) => permitted.includes(name));
}

/** Replaces the certificate file; false if the disk fails. */
function keep(certificate: string, file: string, onTrouble: (message: string) => void): boolean {
  try {
    replaceFile(file, certificate, 0o644);
    return true;
  } catch (error) {
    onTrouble(`the certificate that clients have to trust cannot be saved in ${file}: ${(error as Error).message}`);
    return false;
  }
}
