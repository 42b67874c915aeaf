import { createPublicKey } from "node:crypto";
import { type RequestParts, withToken } from "./request-parts.ts";
import { signedByStranger, strangersKeyLike } from "./strangers-key.ts";
import { pinnedAlgorithm, signedWith, strangersSecret, type TokenTwin, withProof } from "./token-twin.ts";

export const broughtKey =
  "A key that comes with the token proves nothing. With such a token a stranger can log in as anybody.";
const noKeyFound =
  "The sender writes the header of a token. If the app finds no key for it, nothing is proved: a stranger could log in as anybody.";
export const issuedKey = "Verify with the key that was issued to the app, never with one from the token.";

/** The key of a token as a JWK Set (RFC 7517, 5), served at the address in `jku`. */
function keysOf({ token }: RequestParts): string {
  const key = token?.key ? createPublicKey(token.key).export({ format: "jwk" }) : null;
  return JSON.stringify({ keys: [{ ...key, kid: token?.header.kid, alg: token?.header.alg, use: "sig" }] });
}

/** Tokens for which an app may find no key, and tokens that themselves name the key to verify them with. */
export const tokenKeyTwins: readonly TokenTwin[] = [
  {
    name: "kid-unknown",
    what: "a token with an unknown kid, signed with a stranger's key",
    section: "RFC 7515, 4.1.4",
    severity: "must",
    changes: "token.proof",
    why: noKeyFound,
    fix: "Answer 401 to a token whose `kid` is that of no issued key.",
    twin: withProof(({ header, key }) => signedByStranger({ ...header, kid: "app-sim-unknown" }, key)),
  },
  {
    name: "kid-missing",
    what: "a token without the kid that it should have, signed with a stranger's key",
    section: "RFC 7515, 4.1.4",
    severity: "must",
    changes: "token.proof",
    why: noKeyFound,
    fix: "Answer 401 to a token without `kid`, or verify it with the issued keys.",
    twin: withProof(({ header: { kid, ...others }, key }) =>
      kid === undefined ? null : signedByStranger(others, key),
    ),
  },
  {
    name: "key-null-byte",
    what: "a token that names an empty file as its key",
    section: "RFC 8725, 3.10",
    severity: "must",
    changes: "token.proof",
    why: "The sender writes the header of a token. If `kid` is used as a file name, anybody can choose the key.",
    fix: "Look `kid` up in the keys that the app knows, or ignore it.",
    twin: withProof(({ header }) => signedWith({ ...header, kid: "../../../../../../dev/null" }, "\u0000")),
  },
  {
    name: "key-query",
    what: "a token whose kid is a piece of SQL",
    section: "RFC 8725, 3.10",
    severity: "must",
    changes: "token.proof",
    why: "The sender writes the header of a token. If `kid` becomes part of a query, anybody can choose the key.",
    fix: "Look `kid` up in the keys that the app knows, with a prepared statement, or ignore it.",
    twin: withProof(({ header }) => signedWith({ ...header, kid: "x' UNION SELECT 'app-sim" }, "app-sim")),
  },
  {
    name: "jwk-embedded",
    what: "a token that brings its own key (jwk)",
    section: "RFC 8725, 3.10",
    severity: "must",
    changes: "token.proof",
    why: broughtKey,
    fix: issuedKey,
    twin: withProof(({ header, key: issued }) => {
      const { alg, key } = strangersKeyLike(issued);
      return { header: { ...header, alg, jwk: createPublicKey(key).export({ format: "jwk" }) }, key };
    }),
  },
  {
    name: "jwk-secret",
    what: "a token that brings the secret that signed it (jwk or kid)",
    section: "RFC 8725, 3.10",
    severity: "must",
    changes: "token.proof",
    why: broughtKey,
    fix: issuedKey,
    twin: withProof(({ header }) => {
      const jwk = { kty: "oct", k: Buffer.from(strangersSecret).toString("base64url") };
      return signedWith({ ...header, jwk, kid: strangersSecret }, strangersSecret);
    }),
  },
  ...(["jku", "x5u"] as const).map(
    (name): TokenTwin => ({
      name: `key-address-${name}`,
      what: `a token that says where its key is (${name})`,
      section: "RFC 8725, 3.10",
      severity: "must",
      changes: "token.proof",
      why: "The sender would choose the key, and what the app requests. With such a token a stranger can log in as anybody.",
      fix: "Verify with the key that was issued to the app, and never fetch one from an address in the token.",
      canary: (twin) => keysOf(twin),
      twin: (request, _, canary) =>
        withToken(request, ({ header, key: issued }) => {
          const { alg, key } = strangersKeyLike(issued);
          return { header: { ...header, alg, kid: "app-sim", [name]: canary }, key };
        }),
    }),
  ),
  {
    name: "hs256-with-public-key",
    what: "a token signed with the public key as if it were a secret",
    section: "RFC 8725, 2.1",
    severity: "must",
    changes: "token.proof",
    why: "Everybody knows the public key. An app that uses it as the secret of HS256 lets everybody in.",
    fix: pinnedAlgorithm,
    twin: withProof(({ header, key }) => {
      if (key === null || key.type === "secret") return null;
      const pem = createPublicKey(key).export({ format: "pem", type: "spki" });
      return signedWith({ ...header, alg: "HS256" }, String(pem));
    }),
  },
];
