import { parametersText, singleQuoted, TOLERANCE_SECONDS, type Verifier } from "./verifier.ts";

const encoders = {
  hex: "bin2hex($digest)",
  base64: "base64_encode($digest)",
  base64url: "rtrim(strtr(base64_encode($digest), '+/', '-_'), '=')",
};

/** For PHP 7.1 and newer. */
export const phpVerifier: Verifier = (scheme) => {
  const { encoding, prefix, timestampHeader } = scheme;
  const isTimed = timestampHeader !== null;
  const start = prefix === "" ? "" : `${singleQuoted(prefix)} . `;
  return [
    "// $rawBody: in Laravel $request->getContent(), anywhere file_get_contents('php://input')",
    `// ${parametersText(scheme)}`,
    `function verify(string $rawBody, ${isTimed ? "?string $timestamp, " : ""}?string $signature, string $secret): bool`,
    "{",
    ...(isTimed
      ? [
          `    if (!is_numeric($timestamp) || abs(time() - (int) $timestamp) > ${TOLERANCE_SECONDS}) {`,
          "        return false;",
          "    }",
        ]
      : []),
    `    $digest = hash_hmac('sha256', ${isTimed ? "$timestamp . '.' . $rawBody" : "$rawBody"}, $secret, true);`,
    `    return hash_equals(${start}${encoders[encoding]}, $signature ?? '');`,
    "}",
  ].join("\n");
};
