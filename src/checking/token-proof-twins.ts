import { type TokenParts, withToken } from "./request-parts.ts";
import {
  forgery,
  pinnedAlgorithm,
  respelled,
  signedWith,
  strangersSecret,
  type TokenTwin,
  verify,
  withProof,
  withStrangersSignature,
} from "./token-twin.ts";

const notVerified =
  "Code with a branch for each algorithm often has one that verifies nothing. A sender who names that algorithm can log in as anybody.";

/** Missing or malformed tokens, and tokens that prove nothing. */
export const tokenProofTwins: readonly TokenTwin[] = [
  {
    name: "missing",
    what: "a request without a token",
    section: "5.1",
    severity: "must",
    changes: "token",
    why: "Anybody who can reach the app can make this request. Without a token it is unknown who sent it.",
    fix: "Answer 401 to a request without a token.",
    twin: (request) => ({ ...request, token: null }),
  },
  {
    name: "empty",
    what: "an empty token",
    section: "5.1",
    severity: "must",
    changes: "token.spelling",
    why: "Code often treats an empty string as a missing value, and takes another path. That path must not let anybody in.",
    fix: "Treat an empty token as a missing one: answer 401.",
    twin: respelled(() => ""),
  },
  {
    name: "no-jwt",
    what: "a token that is not a JWT",
    section: "RFC 7519, 7.2",
    severity: "must",
    changes: "token.spelling",
    why: "What cannot be read cannot be trusted. A token of another kind shows whether the app looks at tokens at all.",
    fix: verify,
    twin: respelled(() => "app-sim"),
  },
  {
    name: "scheme-basic",
    what: "a user name and a password instead of a token",
    section: "5.1",
    severity: "must",
    changes: "token",
    why: "The Authorization header need not hold a token. The sender chooses its content.",
    fix: "Answer 401 unless the header holds Bearer and a valid token.",
    twin: (request) => ({
      ...request,
      token: null,
      headers: [["Authorization", "Basic YXBwLXNpbTphcHAtc2lt"], ...request.headers],
    }),
  },
  {
    name: "garbage",
    what: "a token with three parts that are not a JWT",
    section: "RFC 7519, 7.2",
    severity: "must",
    changes: "token.spelling",
    why: "Anything that looks like a token is decoded before it is verified. That must not crash the app.",
    fix: verify,
    twin: respelled(() => "a.b.c"),
  },
  {
    name: "json-form",
    what: "a token in the JSON form of a JWS",
    section: "RFC 7519, 1",
    severity: "should",
    changes: "token.spelling",
    why: "A JWT has only the compact form. Code that reads other forms has more ways to be fooled.",
    fix: verify,
    twin: respelled((compact) => {
      const [header, payload, signature] = compact.split(".");
      return JSON.stringify({ protected: header, payload, signature });
    }),
  },
  // First, because for an app that ignores signatures this is the most important finding.
  {
    name: "other-secret",
    what: "a token signed with another secret",
    section: "5.1",
    severity: "must",
    changes: "token.proof",
    why: forgery,
    fix: verify,
    twin: withStrangersSignature,
  },
  {
    name: "alg-none",
    what: "an unsigned token (alg none)",
    section: "RFC 8725, 3.1",
    severity: "must",
    changes: "token.proof",
    why: forgery,
    fix: pinnedAlgorithm,
    twin: withProof(({ header }) => ({ header: { ...header, alg: "none" }, key: null })),
  },
  {
    name: "alg-none-case",
    what: "an unsigned token (alg noNE)",
    section: "RFC 8725, 3.1",
    severity: "must",
    changes: "token.proof",
    why: "A list of forbidden algorithms is easily bypassed with another spelling. With such a token a stranger can log in as anybody.",
    fix: pinnedAlgorithm,
    twin: withProof(({ header }) => ({ header: { ...header, alg: "noNE" }, key: null })),
  },
  {
    name: "alg-none-signed",
    what: "a token with alg none and a signature made without a key",
    section: "RFC 8725, 3.1",
    severity: "must",
    changes: "token.proof",
    why: "A library may refuse an empty signature, but accept any other because alg says that there is nothing to verify. With such a token a stranger can log in as anybody.",
    fix: pinnedAlgorithm,
    twin: withProof(({ header }) => unsignedAs({ ...header, alg: "none" }, 32)),
  },
  {
    name: "alg-other-hmac",
    what: "a token with another HMAC algorithm, signed with another secret",
    section: "RFC 8725, 3.1",
    severity: "must",
    changes: "token.proof",
    why: notVerified,
    fix: pinnedAlgorithm,
    twin: withProof(({ header }) => {
      const alg = header.alg === "HS512" ? "HS256" : "HS512";
      return signedWith({ ...header, alg }, strangersSecret);
    }),
  },
  {
    name: "alg-rsa",
    what: "a token that claims to be signed with RS256, but is not",
    section: "RFC 8725, 3.1",
    severity: "must",
    changes: "token.proof",
    why: notVerified,
    fix: pinnedAlgorithm,
    // As long as an RSA signature, but made without a key.
    twin: withProof(({ header }) => unsignedAs({ ...header, alg: "RS256" }, 256)),
  },
  {
    name: "alg-unknown",
    what: "a token whose alg is not an algorithm",
    section: "RFC 8725, 3.1",
    severity: "must",
    changes: "token.proof",
    why: notVerified,
    fix: pinnedAlgorithm,
    twin: withProof(({ header }) => unsignedAs({ ...header, alg: "app-sim" }, 32)),
  },
  {
    name: "alg-missing",
    what: "a token without alg, and with a signature made without a key",
    section: "RFC 7515, 4.1.1",
    severity: "must",
    changes: "token.proof",
    why: notVerified,
    fix: pinnedAlgorithm,
    twin: withProof(({ header: { alg: _, ...others } }) => unsignedAs(others, 32)),
  },
  {
    name: "typ-missing",
    what: "a token without typ, signed with another secret",
    section: "RFC 7519, 5.1",
    severity: "must",
    changes: "token.proof",
    why: "The header is written by whoever makes the token. Code that treats tokens differently by their type must verify the signature of every type.",
    fix: verify,
    twin: withProof(({ header: { typ: _, ...others } }) => signedWith(others, strangersSecret)),
  },
  {
    name: "weak-secret",
    what: 'a token signed with the word "secret"',
    section: "RFC 8725, 3.5",
    severity: "must",
    changes: "token.proof",
    why: "A default that was left in the code is the first thing that attackers try. Anybody who knows it can log in as anybody.",
    fix: "Let the app refuse to start without its issued secret, and have no default for it.",
    twin: withProof(({ header }) => signedWith(header, "secret")),
  },
  {
    name: "client-id-secret",
    what: "a token signed with the client id",
    section: "5.1",
    severity: "must",
    changes: "token.proof",
    why: "Anybody can know the client id: it is part of URLs. Used as a key, it lets everybody in.",
    fix: "Verify with the secret that was issued to the app, not with its client id.",
    twin: (request, { clientId }) => withToken(request, ({ header }) => signedWith(header, clientId)),
  },
  {
    name: "other-issued-secret",
    what: "a token signed with the app's other secret",
    section: "5.1",
    severity: "should",
    changes: "token.proof",
    choices: ["guard.jwt.key"],
    why: "The two secrets of an app have different purposes, and different people may know them. Each must open only one door.",
    fix: "Verify with the one secret for this purpose, and try no other.",
    twin: (request, { appSecret, clientSecret }) =>
      withToken(request, ({ header, key }) => {
        const other = [appSecret, clientSecret].find((secret) => !isKey(key, secret));
        return other === undefined ? null : signedWith(header, other);
      }),
  },
  {
    name: "crit-unknown",
    what: "a token whose crit names an extension that it cannot know",
    section: "RFC 7515, 4.1.11",
    severity: "should",
    changes: "token.proof",
    why: "`crit` lists what a verifier must understand to judge the token correctly. A verifier that ignores it may accept a restricted token.",
    fix: "Refuse tokens whose header has `crit`, unless the app knows every name in it.",
    twin: withProof(({ header }) => ({ header: { ...header, crit: ["app-sim"], "app-sim": true } })),
  },
  {
    name: "five-parts",
    what: "a token with five parts",
    section: "RFC 7515, 5.2",
    severity: "must",
    changes: "token.spelling",
    why: "Encrypted tokens have five parts. Code that reads only the first three may mistake them for signed ones.",
    fix: "Refuse a token that does not have exactly three parts before reading any of it; JWT libraries do.",
    twin: respelled((compact) => `${compact}.${compact.split(".").slice(1).join(".")}`),
  },
];

/** A token whose signature is this many bytes made without a key. */
function unsignedAs(header: TokenParts["header"], length: number): Partial<TokenParts> {
  const signature = Buffer.alloc(length, "app-sim").toString("base64url");
  return { header, key: null, respell: (compact) => `${compact}${signature}` };
}

function isKey(key: TokenParts["key"], secret: string): boolean {
  return key?.type === "secret" && key.export().equals(Buffer.from(secret));
}
