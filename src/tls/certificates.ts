import { createHash, createPublicKey, type KeyObject, sign } from "node:crypto";
import { isIP } from "node:net";
import { AsnConvert, AsnSerializer, OctetString } from "@peculiar/asn1-schema";
import * as x509 from "@peculiar/asn1-x509";
import { randomIds } from "../app-client/ports.ts";

const DAY_MS = 86_400_000;
/** Clocks of containers and virtual machines may be slow. */
const CLOCK_MARGIN_MS = DAY_MS;
const ECDSA_WITH_SHA256 = "1.2.840.10045.4.3.2";

/** Who a certificate is for, and who signs it. */
interface CertificateParts {
  readonly subject: string;
  readonly publicKey: KeyObject;
  readonly issuer: string;
  readonly signingKey: KeyObject;
  readonly now: number;
  readonly days: number;
  readonly extensions: readonly x509.Extension[];
}

/** The name of an authority, derived from its key, so that no client confuses two of them. */
function authorityName(privateKey: KeyObject): string {
  return `app-sim test authority ${keyIdOf(createPublicKey(privateKey)).subarray(0, 4).toString("hex")}`;
}

/**
 * Creates the certificate (PEM, RFC 5280) of an authority that can certify only these names and their subdomains:
 * trusting it is safe even if its key leaks.
 * @param privateKey ECDSA P-256
 * @param names host names and IP addresses
 */
export function authorityCertificate(
  privateKey: KeyObject,
  names: readonly string[],
  now: number,
  days: number,
): string {
  const name = authorityName(privateKey);
  const publicKey = createPublicKey(privateKey);
  const permittedSubtrees = new x509.GeneralSubtrees(names.map(subtreeOf));
  const constraints = new x509.NameConstraints({ permittedSubtrees });
  const usage = new x509.KeyUsage(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign);
  return certificateOf({
    ...{ subject: name, publicKey, issuer: name, signingKey: privateKey, now, days },
    extensions: [
      extension(x509.id_ce_basicConstraints, new x509.BasicConstraints({ cA: true, pathLenConstraint: 0 }), true),
      extension(x509.id_ce_keyUsage, usage, true),
      extension(x509.id_ce_nameConstraints, constraints, true),
      extension(x509.id_ce_subjectKeyIdentifier, new x509.SubjectKeyIdentifier(keyIdOf(publicKey))),
    ],
  });
}

/** A server that gets a certificate. */
interface CertifiedServer {
  readonly publicKey: KeyObject;
  /** Host names, wildcards such as `*.example`, and IP addresses. */
  readonly names: readonly string[];
}

/** Creates the certificate (PEM) of a server, signed by an authority. */
export function serverCertificate(
  { publicKey, names }: CertifiedServer,
  authorityKey: KeyObject,
  now: number,
  days: number,
): string {
  const issuerKey = new x509.KeyIdentifier(keyIdOf(createPublicKey(authorityKey)));
  const usage = new x509.KeyUsage(x509.KeyUsageFlags.digitalSignature);
  return certificateOf({
    ...{ subject: "app-sim", publicKey, issuer: authorityName(authorityKey), signingKey: authorityKey, now, days },
    extensions: [
      extension(x509.id_ce_basicConstraints, new x509.BasicConstraints({ cA: false }), true),
      extension(x509.id_ce_keyUsage, usage, true),
      extension(x509.id_ce_extKeyUsage, new x509.ExtendedKeyUsage([x509.id_kp_serverAuth])),
      extension(x509.id_ce_subjectAltName, new x509.SubjectAlternativeName(names.map(generalName))),
      extension(x509.id_ce_subjectKeyIdentifier, new x509.SubjectKeyIdentifier(keyIdOf(publicKey))),
      extension(x509.id_ce_authorityKeyIdentifier, new x509.AuthorityKeyIdentifier({ keyIdentifier: issuerKey })),
    ],
  });
}

/** The names that the authority of a certificate (DER) may certify, as given on creation. */
export function permittedNames(certificate: Uint8Array): string[] {
  const { extensions = [] } = AsnConvert.parse(certificate, x509.Certificate).tbsCertificate;
  const found = extensions.find(({ extnID }) => extnID === x509.id_ce_nameConstraints);
  if (found === undefined) return [];
  const { permittedSubtrees } = AsnConvert.parse(found.extnValue, x509.NameConstraints);
  return [...(permittedSubtrees ?? [])].flatMap(
    ({ base: { dNSName, iPAddress } }) => dNSName ?? iPAddress?.replace(/\/.*/, "") ?? [],
  );
}

function certificateOf({ subject, publicKey, issuer, signingKey, now, days, extensions }: CertificateParts): string {
  const algorithm = new x509.AlgorithmIdentifier({ algorithm: ECDSA_WITH_SHA256 });
  const tbsCertificate = new x509.TBSCertificate({
    version: x509.Version.v3,
    serialNumber: serialNumber(),
    signature: algorithm,
    issuer: nameOf(issuer),
    validity: new x509.Validity({
      notBefore: new Date(now - CLOCK_MARGIN_MS),
      notAfter: new Date(now + days * DAY_MS),
    }),
    subject: nameOf(subject),
    subjectPublicKeyInfo: AsnConvert.parse(spkiOf(publicKey), x509.SubjectPublicKeyInfo),
    extensions: new x509.Extensions([...extensions]),
  });
  const signature = sign("sha256", Buffer.from(AsnSerializer.serialize(tbsCertificate)), signingKey);
  const certificate = new x509.Certificate({
    tbsCertificate,
    signatureAlgorithm: algorithm,
    signatureValue: new Uint8Array(signature).buffer,
  });
  const lines =
    Buffer.from(AsnSerializer.serialize(certificate))
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n");
}

/** A positive number of 128 bits (RFC 5280, 4.1.2.2). */
function serialNumber(): ArrayBuffer {
  const bytes = new Uint8Array(Buffer.from(randomIds.secret(), "base64url").subarray(0, 16));
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes.buffer;
}

function nameOf(text: string): x509.Name {
  const value = new x509.AttributeValue({ utf8String: text });
  const commonName = new x509.AttributeTypeAndValue({ type: "2.5.4.3", value });
  return new x509.Name([new x509.RelativeDistinguishedName([commonName])]);
}

function extension(extnID: string, value: object, critical = false): x509.Extension {
  const extnValue = new OctetString(AsnSerializer.serialize(value));
  return new x509.Extension({ extnID, critical, extnValue });
}

/** A name with its subdomains, or one IP address. */
function subtreeOf(name: string): x509.GeneralSubtree {
  const address = `${name}/${isIP(name) === 4 ? 32 : 128}`;
  return new x509.GeneralSubtree({ base: generalName(isIP(name) === 0 ? name : address) });
}

function generalName(name: string): x509.GeneralName {
  return new x509.GeneralName(isIP(name.replace(/\/.*/, "")) === 0 ? { dNSName: name } : { iPAddress: name });
}

function keyIdOf(publicKey: KeyObject): Buffer {
  return createHash("sha256").update(spkiOf(publicKey)).digest().subarray(0, 20);
}

function spkiOf(publicKey: KeyObject): Buffer {
  return publicKey.export({ type: "spki", format: "der" });
}
