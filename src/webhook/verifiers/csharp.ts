import { doubleQuoted, parametersText, TOLERANCE_SECONDS, type Verifier } from "./verifier.ts";

const encoders = {
  hex: 'BitConverter.ToString(digest).Replace("-", "").ToLowerInvariant()',
  base64: "Convert.ToBase64String(digest)",
  base64url: "Convert.ToBase64String(digest).TrimEnd('=').Replace('+', '-').Replace('/', '_')",
};

/** For .NET Core 2.1 and newer. */
export const csharpVerifier: Verifier = (scheme) => {
  const { encoding, prefix, timestampHeader } = scheme;
  const isTimed = timestampHeader !== null;
  const start = prefix === "" ? "" : `${doubleQuoted(prefix)} + `;
  return [
    "using System;",
    "using System.Security.Cryptography;",
    "using System.Text;",
    "",
    "public static class WebhookSignature",
    "{",
    "    // rawBody: in ASP.NET Core await Request.Body.CopyToAsync(stream), then stream.ToArray() of that MemoryStream",
    `    // ${parametersText(scheme)}`,
    `    public static bool Verify(byte[] rawBody, ${isTimed ? "string timestamp, " : ""}string signature, string secret)`,
    "    {",
    ...(isTimed
      ? [
          "        if (!long.TryParse(timestamp, out long seconds)) return false;",
          "        long age = DateTimeOffset.UtcNow.ToUnixTimeSeconds() - seconds;",
          `        if (age > ${TOLERANCE_SECONDS} || age < -${TOLERANCE_SECONDS}) return false;`,
        ]
      : []),
    "        using (var hmac = IncrementalHash.CreateHMAC(HashAlgorithmName.SHA256, Encoding.UTF8.GetBytes(secret)))",
    "        {",
    ...(isTimed ? ['            hmac.AppendData(Encoding.UTF8.GetBytes(timestamp + "."));'] : []),
    "            hmac.AppendData(rawBody);",
    "            byte[] digest = hmac.GetHashAndReset();",
    `            byte[] expected = Encoding.UTF8.GetBytes(${start}${encoders[encoding]});`,
    '            return CryptographicOperations.FixedTimeEquals(expected, Encoding.UTF8.GetBytes(signature ?? ""));',
    "        }",
    "    }",
    "}",
  ].join("\n");
};
