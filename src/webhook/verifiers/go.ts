import { doubleQuoted, parametersText, TOLERANCE_SECONDS, type Verifier } from "./verifier.ts";

const encoders = {
  hex: "hex.EncodeToString",
  base64: "base64.StdEncoding.EncodeToString",
  base64url: "base64.RawURLEncoding.EncodeToString",
};

/** For Go. */
export const goVerifier: Verifier = (scheme) => {
  const { encoding, prefix, timestampHeader } = scheme;
  const isTimed = timestampHeader !== null;
  const start = prefix === "" ? "" : `${doubleQuoted(prefix)} + `;
  return [
    "import (",
    '\t"crypto/hmac"',
    '\t"crypto/sha256"',
    encoding === "hex" ? '\t"encoding/hex"' : '\t"encoding/base64"',
    ...(isTimed ? ['\t"strconv"', '\t"time"'] : []),
    ")",
    "",
    "// rawBody: with net/http io.ReadAll(r.Body), before anything else reads it",
    `// ${parametersText(scheme)}`,
    `func verify(rawBody []byte, ${isTimed ? "timestamp, " : ""}signature, secret string) bool {`,
    ...(isTimed
      ? [
          "\tseconds, err := strconv.ParseInt(timestamp, 10, 64)",
          "\tage := time.Now().Unix() - seconds",
          `\tif err != nil || age > ${TOLERANCE_SECONDS} || age < -${TOLERANCE_SECONDS} {`,
          "\t\treturn false",
          "\t}",
        ]
      : []),
    "\tmac := hmac.New(sha256.New, []byte(secret))",
    ...(isTimed ? ['\tmac.Write([]byte(timestamp + "."))'] : []),
    "\tmac.Write(rawBody)",
    `\texpected := ${start}${encoders[encoding]}(mac.Sum(nil))`,
    "\treturn hmac.Equal([]byte(expected), []byte(signature))",
    "}",
  ].join("\n");
};
