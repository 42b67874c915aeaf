import { readVerifier } from "../platform/verifier-code.ts";
import { type VerifierLanguage, verifierLanguages } from "../platform/verifier-language.ts";
import type { SignatureScheme } from "./rules/signature.ts";

/** The files with the code for each language, which needs only its standard library. */
const verifierFiles: Readonly<Record<VerifierLanguage, string>> = {
  node: "verifier.mjs",
  python: "verifier.py",
  php: "verifier.php",
  go: "verifier.go",
  ruby: "verifier.rb",
  java: "WebhookSignature.java",
  csharp: "WebhookSignature.cs",
};

/**
 * The code of a function `verify` for each language, which accepts deliveries signed this way (interface 2.6, 5.1) and
 * refuses all others without an exception.
 */
export function verifiersFor(scheme: SignatureScheme): Promise<{ language: VerifierLanguage; code: string }[]> {
  const { encoding, timestampHeader, idHeader } = scheme;
  const signedToo = timestampHeader === null ? ["body"] : ["timestamp", idHeader === undefined ? "time" : "id"];
  const codeIn = async (language: VerifierLanguage) => {
    const template = await readVerifier(verifierFiles[language], [encoding, ...signedToo]);
    return { language, code: fillIn(template, scheme) };
  };
  return Promise.all(verifierLanguages.map(codeIn));
}

/** The timestamp parameter, with its type if the language needs one. */
const timeParameter = /(\??string )?(\$?)timestamp, /i;

function fillIn(template: string, { header, prefix, timestampHeader, idHeader }: SignatureScheme): string {
  const untimed = /(?:\??string )?\$?timestamp, |, timestamp: that of TIMESTAMP_HEADER/gi;
  const code =
    idHeader === undefined
      ? template
      : template
          .replace(timeParameter, (parameter, type = "", sigil = "") => `${type}${sigil}id, ${parameter}`)
          .replace("timestamp: that of", `id: that of ${idHeader}, timestamp: that of`);
  return (
    timestampHeader === null ? code.replace(untimed, "") : code.replace("TIMESTAMP_HEADER", () => timestampHeader)
  )
    .replace("SIGNATURE_HEADER", () => header)
    .replace(/(b?)(["'])PREFIX\2( [+.] )/, (_, bytes, quote, operator) =>
      prefix === "" ? "" : `${bytes}${quote === '"' ? JSON.stringify(prefix) : singleQuoted(prefix)}${operator}`,
    );
}

/** A string literal in which PHP and Ruby expand nothing. */
function singleQuoted(text: string): string {
  return `'${text.replace(/['\\]/g, "\\$&")}'`;
}
