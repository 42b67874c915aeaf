import type { SignatureScheme } from "../rules/signature.ts";
import { csharpVerifier } from "./csharp.ts";
import { goVerifier } from "./go.ts";
import { javaVerifier } from "./java.ts";
import { nodeVerifier } from "./node.ts";
import { phpVerifier } from "./php.ts";
import { pythonVerifier } from "./python.ts";
import { rubyVerifier } from "./ruby.ts";
import type { Verifier } from "./verifier.ts";

/** Languages that apps are verified in, the commonest first. */
export const verifierLanguages = ["node", "python", "php", "go", "ruby", "java", "csharp"] as const;
export type VerifierLanguage = (typeof verifierLanguages)[number];

const verifiers: Readonly<Record<VerifierLanguage, Verifier>> = {
  node: nodeVerifier,
  python: pythonVerifier,
  php: phpVerifier,
  go: goVerifier,
  ruby: rubyVerifier,
  java: javaVerifier,
  csharp: csharpVerifier,
};

/** A function `verify` that accepts what is signed so (interface 2.6, 5.1), and refuses all else without an error. */
export function verifierIn(language: VerifierLanguage, scheme: SignatureScheme): string {
  return verifiers[language](scheme);
}
