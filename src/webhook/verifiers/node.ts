import { doubleQuoted, parametersText, TOLERANCE_SECONDS, type Verifier } from "./verifier.ts";

/** For Node.js. */
export const nodeVerifier: Verifier = (scheme) => {
  const { encoding, prefix, timestampHeader } = scheme;
  const isTimed = timestampHeader !== null;
  const start = prefix === "" ? "" : `${doubleQuoted(prefix)} + `;
  return [
    `import { createHmac, timingSafeEqual } from ${doubleQuoted("node:crypto")};`,
    "",
    '// rawBody: in Express req.body with express.raw({ type: "*/*" }), in Fastify request.body with',
    '// addContentTypeParser("application/json", { parseAs: "buffer" }, (request, body, done) => done(null, body))',
    `// ${parametersText(scheme)}`,
    `export function verify(rawBody, ${isTimed ? "timestamp, " : ""}signature, secret) {`,
    ...(isTimed
      ? [`  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= ${TOLERANCE_SECONDS})) return false;`]
      : []),
    '  const hmac = createHmac("sha256", secret);',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the template is in the code that is made.
    ...(isTimed ? ["  hmac.update(`${timestamp}.`);"] : []),
    `  const expected = Buffer.from(${start}hmac.update(rawBody).digest("${encoding}"));`,
    '  const given = Buffer.from(signature ?? "");',
    "  return given.length === expected.length && timingSafeEqual(given, expected);",
    "}",
  ].join("\n");
};
