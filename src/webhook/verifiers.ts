import { readFile } from "node:fs/promises";
import type { SignatureScheme } from "./rules/signature.ts";

/** Languages that apps are verified in, the most common first. */
export const verifierLanguages = ["node", "python", "php", "go", "ruby", "java", "csharp"] as const;
export type VerifierLanguage = (typeof verifierLanguages)[number];

/** Names of the languages, and the files with their code; each needs its language's standard library alone. */
export const verifierFiles: Readonly<Record<VerifierLanguage, { readonly title: string; readonly file: string }>> = {
  node: { title: "Node.js", file: "verifier.mjs" },
  python: { title: "Python", file: "verifier.py" },
  php: { title: "PHP", file: "verifier.php" },
  go: { title: "Go", file: "verifier.go" },
  ruby: { title: "Ruby", file: "verifier.rb" },
  java: { title: "Java", file: "WebhookSignature.java" },
  csharp: { title: "C#", file: "WebhookSignature.cs" },
};

/**
 * The code of a function `verify` for each language that accepts deliveries signed in this way (interface 2.6, 5.1) and
 * refuses all others without an error.
 */
export function verifiersFor(scheme: SignatureScheme): Promise<{ language: VerifierLanguage; code: string }[]> {
  const codeIn = async (language: VerifierLanguage) => {
    const file = new URL(verifierFiles[language].file, new URL("../../fixtures/verifiers/", import.meta.url));
    return { language, code: fillIn(await readFile(file, "utf8"), scheme) };
  };
  return Promise.all(verifierLanguages.map(codeIn));
}

/** Each file works as it is, for a timestamp and the encoding hex: lines for other schemes are comments in it. */
const conditionalLine = /^(\s*)(?:(?:\/\/|#) )?(.*\S)\s+(?:\/\/|#) if ([\w ]+)$/;

/** The parameter of the timestamp, with its type where it has one. */
const timeParameter = /(\??string )?(\$?)timestamp, /i;

function fillIn(template: string, { header, encoding, prefix, timestampHeader, idHeader }: SignatureScheme): string {
  const signedToo = timestampHeader === null ? ["body"] : ["timestamp", idHeader === undefined ? "time" : "id"];
  const conditions = [encoding, ...signedToo];
  const lines = template.split("\n").flatMap((line) => {
    const [, indent, code, wanted] = conditionalLine.exec(line) ?? [];
    if (wanted === undefined) return [line];
    return wanted.split(" ").some((condition) => conditions.includes(condition)) ? [`${indent}${code}`] : [];
  });
  const untimed = /(?:\??string )?\$?timestamp, |, timestamp: that of TIMESTAMP_HEADER/gi;
  const whole = lines.join("\n").trim();
  const code =
    idHeader === undefined
      ? whole
      : whole
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

/** A literal in which PHP and Ruby expand nothing. */
function singleQuoted(text: string): string {
  return `'${text.replace(/['\\]/g, "\\$&")}'`;
}
