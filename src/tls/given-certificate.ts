import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { UsageError } from "../protocol/usage-error.ts";

/** The files (PEM) of a certificate and of its private key. */
export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

/** The key and certificate of a server (PEM). */
export interface KeyAndCertificate {
  readonly key: string;
  /** Its certificate, and those of its issuers. */
  readonly cert: string;
}

/** A certificate given by the user. */
interface GivenCertificate extends KeyAndCertificate {
  /** The certificate of the server itself, the first in the file. */
  readonly leaf: X509Certificate;
}

/**
 * Reads the user's own certificate, with those of its issuers if they follow it, and its private key.
 * @throws UsageError for files that are missing or not PEM, a key that is encrypted or does not match, and a
 * certificate that is not currently valid
 */
export async function readGivenCertificate({ cert, key }: CertificateFiles, now: number): Promise<GivenCertificate> {
  const [certText, keyText] = [await readPem("cert", cert), await readPem("key", key)];
  const leaf = parseCertificate(cert, certText);
  const privateKey = parseKey(key, keyText);
  if (!leaf.checkPrivateKey(privateKey)) {
    throw unusable(
      `--key ${key} is not the key of the certificate in --cert ${cert}`,
      "each certificate has its own key: give the two that were created together; in a chain the server's certificate comes first",
    );
  }
  const [from, to] = [leaf.validFrom, leaf.validTo].map((text) => new Date(text));
  if (to !== undefined && to.getTime() <= now) {
    throw unusable(
      `the certificate in --cert ${cert} expired at ${to.toISOString()}`,
      "renew it, or use --tls on its own",
    );
  }
  if (from !== undefined && from.getTime() > now) {
    throw unusable(
      `the certificate in --cert ${cert} is not valid before ${from.toISOString()}`,
      "is the clock of this machine right?",
    );
  }
  return { leaf, cert: certText, key: keyText };
}

/** Why clients will reject a certificate at this address; null if it is for this address. */
export function nameMismatch(leaf: X509Certificate, address: string): string | null {
  const { protocol, hostname } = new URL(address);
  const host = hostname.replace(/^\[|\]$/g, "");
  if (protocol !== "https:") return null;
  const isNamed = isIP(host) === 0 ? leaf.checkHost(host) : leaf.checkIP(host);
  if (isNamed !== undefined) return null;
  const names = leaf.subjectAltName ?? "no name";
  return `the certificate is not for ${host}, so clients reject it at ${address}: it is for ${names}`;
}

async function readPem(what: "cert" | "key", file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    throw unusable(
      `--${what} ${file} cannot be read (${code})`,
      "give the path of a PEM file, or use --tls on its own, for which app-sim generates a certificate",
    );
  }
}

function parseCertificate(file: string, text: string): X509Certificate {
  try {
    if (text.includes("-----BEGIN CERTIFICATE-----")) return new X509Certificate(text);
  } catch {
    // Treated as missing.
  }
  const isKey = /-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text);
  throw unusable(
    `--cert ${file} contains no PEM certificate`,
    isKey
      ? "it contains a private key: are --cert and --key swapped?"
      : "a PEM certificate begins with -----BEGIN CERTIFICATE-----; openssl x509 -inform der -in FILE converts one from DER",
  );
}

function parseKey(file: string, text: string): KeyObject {
  if (/ENCRYPTED/.test(text)) {
    throw unusable(
      `the private key in --key ${file} is encrypted, and app-sim does not ask for passphrases`,
      `openssl pkey -in ${file} -out FILE writes it without one; keep that file private`,
    );
  }
  try {
    return createPrivateKey(text);
  } catch {
    throw unusable(
      `--key ${file} contains no PEM private key`,
      text.includes("-----BEGIN CERTIFICATE-----")
        ? "it contains a certificate: are --cert and --key swapped?"
        : "a PEM private key begins with -----BEGIN PRIVATE KEY-----",
    );
  }
}

function unusable(message: string, hint: string): UsageError {
  return new UsageError("certificate-invalid", message, hint);
}
