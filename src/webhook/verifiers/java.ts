import { doubleQuoted, parametersText, TOLERANCE_SECONDS, type Verifier } from "./verifier.ts";

const encoders = {
  hex: "HexFormat.of().formatHex(digest)",
  base64: "Base64.getEncoder().encodeToString(digest)",
  base64url: "Base64.getUrlEncoder().withoutPadding().encodeToString(digest)",
};

/** For Java 17 and newer. */
export const javaVerifier: Verifier = (scheme) => {
  const { encoding, prefix, timestampHeader } = scheme;
  const isTimed = timestampHeader !== null;
  const start = prefix === "" ? "" : `${doubleQuoted(prefix)} + `;
  return [
    "import static java.nio.charset.StandardCharsets.UTF_8;",
    "",
    "import java.security.GeneralSecurityException;",
    "import java.security.MessageDigest;",
    encoding === "hex" ? "import java.util.HexFormat;" : "import java.util.Base64;",
    "import javax.crypto.Mac;",
    "import javax.crypto.spec.SecretKeySpec;",
    "",
    "public final class WebhookSignature {",
    "    // rawBody: in Spring a parameter @RequestBody byte[] rawBody",
    `    // ${parametersText(scheme)}`,
    `    public static boolean verify(byte[] rawBody, ${isTimed ? "String timestamp, " : ""}String signature, String secret)`,
    "            throws GeneralSecurityException {",
    "        if (signature == null) return false;",
    ...(isTimed
      ? [
          "        try {",
          "            long age = System.currentTimeMillis() / 1000 - Long.parseLong(timestamp);",
          `            if (age > ${TOLERANCE_SECONDS} || age < -${TOLERANCE_SECONDS}) return false;`,
          "        } catch (NumberFormatException missingOrNoNumber) {",
          "            return false;",
          "        }",
        ]
      : []),
    '        Mac mac = Mac.getInstance("HmacSHA256");',
    '        mac.init(new SecretKeySpec(secret.getBytes(UTF_8), "HmacSHA256"));',
    ...(isTimed ? ['        mac.update((timestamp + ".").getBytes(UTF_8));'] : []),
    "        byte[] digest = mac.doFinal(rawBody);",
    `        String expected = ${start}${encoders[encoding]};`,
    "        return MessageDigest.isEqual(expected.getBytes(UTF_8), signature.getBytes(UTF_8));",
    "    }",
    "}",
  ].join("\n");
};
