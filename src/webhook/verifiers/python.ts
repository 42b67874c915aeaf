import { doubleQuoted, parametersText, TOLERANCE_SECONDS, type Verifier } from "./verifier.ts";

const encoders = {
  hex: "digest.hex().encode()",
  base64: "base64.b64encode(digest)",
  base64url: 'base64.urlsafe_b64encode(digest).rstrip(b"=")',
};

/** For Python 3. */
export const pythonVerifier: Verifier = (scheme) => {
  const { encoding, prefix, timestampHeader } = scheme;
  const isTimed = timestampHeader !== null;
  const start = prefix === "" ? "" : `b${doubleQuoted(prefix)} + `;
  return [
    ...(encoding === "hex" ? [] : ["import base64"]),
    "import hashlib",
    "import hmac",
    ...(isTimed ? ["import time"] : []),
    "",
    "# raw_body: in Flask request.get_data(), in Django request.body",
    `# ${parametersText(scheme)}`,
    `def verify(raw_body, ${isTimed ? "timestamp, " : ""}signature, secret):`,
    ...(isTimed
      ? [
          "    try:",
          `        if abs(int(time.time()) - int(timestamp or "")) > ${TOLERANCE_SECONDS}:`,
          "            return False",
          "    except ValueError:",
          "        return False",
          '    signed = timestamp.encode() + b"." + raw_body',
        ]
      : []),
    `    digest = hmac.new(secret.encode(), ${isTimed ? "signed" : "raw_body"}, hashlib.sha256).digest()`,
    `    expected = ${start}${encoders[encoding]}`,
    '    given = (signature or "").encode(errors="replace")',
    "    return hmac.compare_digest(expected, given)",
  ].join("\n");
};
