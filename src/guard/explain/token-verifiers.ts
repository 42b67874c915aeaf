import { readVerifier } from "../../platform/verifier-code.ts";
import { type VerifierLanguage, verifierLanguages } from "../../platform/verifier-language.ts";

/** What a verifier must know about the tokens. */
export interface TokenScheme {
  readonly algorithm: string;
  /** Names of the claims with the client id and the expiry; null: there is none. */
  readonly audience: string | null;
  readonly expiry: string | null;
  /** Names of environment variables. */
  readonly clientId: string;
  readonly secret: string;
  /** Where the public keys are. */
  readonly keysUrl: string;
}

/** The files with the code for tokens signed with a secret. */
const secretFiles: Readonly<Record<VerifierLanguage, string>> = {
  node: "token.mjs",
  python: "token.py",
  php: "token.php",
  go: "token.go",
  ruby: "token.rb",
  java: "PlatformToken.java",
  csharp: "PlatformToken.cs",
};

/** The same for tokens signed with the platform's key pair: they need a library in every language. */
const keyFiles: Partial<Readonly<Record<VerifierLanguage, string>>> = { node: "token-by-keys.mjs" };

/**
 * The code of a function `verify` for each language, which returns the claims of tokens made this way (interface 5.1)
 * and rejects all others.
 */
export async function tokenVerifiers(scheme: TokenScheme): Promise<{ language: VerifierLanguage; code: string }[]> {
  const files = scheme.algorithm.startsWith("HS") ? secretFiles : keyFiles;
  const conditions = [scheme.audience === null ? [] : ["aud"], scheme.expiry === null ? [] : ["exp"]].flat();
  const codes = verifierLanguages.map(async (language) => {
    const file = files[language];
    return file === undefined
      ? []
      : [{ language, code: fillIn(await readVerifier(file, conditions), language, scheme) }];
  });
  return (await Promise.all(codes)).flat();
}

function fillIn(template: string, language: VerifierLanguage, scheme: TokenScheme): string {
  const { algorithm, audience, expiry, clientId, secret, keysUrl } = scheme;
  const bits = algorithm.slice(2);
  const isLong = bits !== "256";
  const hashes: Partial<Record<VerifierLanguage, string>> = {
    // Go has SHA-384 and SHA-512 in one package.
    go: isLong ? `sha512.New${bits === "384" ? "384" : ""}` : "sha256.New",
    ruby: `SHA${bits}`,
    java: `HmacSHA${bits}`,
    csharp: `HMACSHA${bits}`,
  };
  return template
    .replaceAll("ALGORITHM", algorithm)
    .replaceAll("AUD_CLAIM", audience ?? "")
    .replaceAll("EXP_CLAIM", expiry ?? "")
    .replaceAll("KEYS_URL", keysUrl)
    .replace("CLIENT_ID", clientId)
    .replace("SECRET", secret)
    .replace("PACKAGE", isLong ? "sha512" : "sha256")
    .replaceAll("HASH", hashes[language] ?? "")
    .replace(/\bSHA\b/, `sha${bits}`);
}
