import { parametersText, singleQuoted, TOLERANCE_SECONDS, type Verifier } from "./verifier.ts";

const encoders = {
  hex: 'digest.unpack1("H*")',
  base64: '[digest].pack("m0")',
  base64url: '[digest].pack("m0").tr("+/", "-_").delete("=")',
};

/** For Ruby 3. */
export const rubyVerifier: Verifier = (scheme) => {
  const { encoding, prefix, timestampHeader } = scheme;
  const isTimed = timestampHeader !== null;
  const start = prefix === "" ? "" : `${singleQuoted(prefix)} + `;
  return [
    'require "openssl"',
    "",
    "# raw_body: in Rails request.raw_post, in Rack request.body.read",
    `# ${parametersText(scheme)}`,
    `def verify(raw_body, ${isTimed ? "timestamp, " : ""}signature, secret)`,
    ...(isTimed ? [`  return false if (Time.now.to_i - timestamp.to_i).abs > ${TOLERANCE_SECONDS}`] : []),
    `  hmac = OpenSSL::HMAC.new(secret, "SHA256")`,
    ...(isTimed ? ['  hmac << timestamp.to_s << "."'] : []),
    "  digest = (hmac << raw_body).digest",
    `  OpenSSL.secure_compare(${start}${encoders[encoding]}, signature.to_s)`,
    "end",
  ].join("\n");
};
