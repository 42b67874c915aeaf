import { createSecretKey } from "node:crypto";
import { type RequestParts, withClaims, withHeader, withToken } from "../../checking/request-parts.ts";
import type { App } from "../../config/schema.ts";

/** A mistake of an app, and the call that an app with this mistake accepts instead of the valid one. */
interface UsualMistake {
  /** The difference that such an app accepts; completes "the app accepts the call if". */
  readonly takes: string;
  readonly fix: string;
  /** null if the difference is not possible for this call. */
  call(right: RequestParts): RequestParts | null;
}

/** The mistakes that a call can reveal, the most likely first. */
export function usualMistakes(app: App, platformUrl: string): UsualMistake[] {
  return [
    ...secretMistakes(app),
    ...placeMistakes,
    ...claimMistakes,
    ...audienceMistakes(app, platformUrl),
    ...otherClaims.map(claimMistake),
    formBody,
  ];
}

/** Only a token signed with a secret can have these. */
function secretMistakes({ clientId, clientSecret, appSecret }: App): UsualMistake[] {
  const signed = (takes: string, fix: string, keyOf: (secret: Buffer) => string | Buffer): UsualMistake => ({
    takes,
    fix,
    call: (right) =>
      withToken(right, ({ key }) => {
        if (key?.type !== "secret") return null;
        const secret = key.export();
        const other = Buffer.from(keyOf(secret));
        return other.length === 0 || other.equals(secret) ? null : { key: createSecretKey(other) };
      }),
  });
  const itself = (name: string) =>
    `verify it with the ${name} that \`app-sim env\` prints; \`app-sim dev -- COMMAND\` starts the app with it`;
  const trim = "the app reads more than just the secret: trim the value, and check the file that it comes from";
  const none = "the app has no secret: start it with the variables of `app-sim env`";
  return [
    signed("the JWT is signed with the app secret", itself("PLATFORM_CLIENT_SECRET"), () => appSecret),
    signed("the JWT is signed with the client secret", itself("PLATFORM_APP_SECRET"), () => clientSecret),
    signed("the JWT is signed with the client id", itself("secret"), () => clientId),
    signed("the secret is decoded from base64", "use the secret's text unchanged", (secret) =>
      Buffer.from(secret.toString(), "base64"),
    ),
    signed("the secret is decoded from hex", "use the secret's text unchanged", (secret) =>
      Buffer.from(secret.toString(), "hex"),
    ),
    signed("the secret is followed by a line ending (\\n)", trim, (secret) => `${secret}\n`),
    signed("the secret is followed by a Windows line ending (\\r\\n)", trim, (secret) => `${secret}\r\n`),
    signed("the secret is followed by a space", trim, (secret) => `${secret} `),
    signed("the secret is in double quotes", trim, (secret) => `"${secret}"`),
    signed("the secret is in single quotes", trim, (secret) => `'${secret}'`),
    ...["undefined", "null", "None"].map((text) => signed(`the secret is the word ${text}`, none, () => text)),
  ];
}

const GUARD_HEADER = "a guard's call carries its JWT as Authorization: Bearer";

const placeMistakes: readonly UsualMistake[] = [
  {
    takes: "the Authorization header contains only the JWT",
    fix: "strip the word Bearer and the space before verifying the JWT",
    call: (right) => ({ ...right, tokenIn: { scheme: "" } }),
  },
  ...["jwtToken", "token"].map((query) => ({
    takes: `the JWT is in the query string, as ${query}`,
    fix: GUARD_HEADER,
    call: (right: RequestParts) => ({ ...right, tokenIn: { query } }),
  })),
];

const DAY_SECONDS = 86_400;

const sameTime =
  "compare it with the seconds since 1970 in UTC, whatever the time zone, and check the clock of the app's machine";

const claimMistakes: readonly UsualMistake[] = [
  {
    takes: "exp is a day later",
    fix: `the time with which the app compares exp is ahead: ${sameTime}`,
    call: shifted("exp", DAY_SECONDS),
  },
  {
    takes: "iat is a day earlier",
    fix: `the time with which the app compares iat is behind: ${sameTime}`,
    call: shifted("iat", -DAY_SECONDS),
  },
  {
    takes: "exp and iat are in milliseconds",
    fix: "they are in seconds (RFC 7519, 2), but the clocks of JavaScript, Java and others count milliseconds",
    call: (right) => {
      const { exp, iat } = right.token?.claims ?? {};
      return typeof exp === "number" && typeof iat === "number"
        ? withClaims(right, { exp: exp * 1000, iat: iat * 1000 })
        : null;
    },
  },
  {
    takes: "sub is a number",
    fix: "sub is a string and userId a number: convert both to strings before comparing them",
    call: (right) => {
      const { sub } = right.token?.claims ?? {};
      return typeof sub === "string" ? withClaims(right, { sub: Number(sub) }) : null;
    },
  },
  {
    takes: "the JWT has no aud",
    fix: "configure the library with the correct audience: PLATFORM_CLIENT_ID",
    call: (right) => (right.token?.claims.aud === undefined ? null : withClaims(right, { aud: undefined })),
  },
];

/** A call whose token has another time. */
function shifted(name: "exp" | "iat", seconds: number): UsualMistake["call"] {
  return (right) => {
    const time = right.token?.claims[name];
    return typeof time === "number" ? withClaims(right, { [name]: time + seconds }) : null;
  };
}

/** Names that apps take for themselves, or for the platform. */
function audienceMistakes({ url }: App, platformUrl: string): UsualMistake[] {
  const audience = "aud is the client id: configure the library with PLATFORM_CLIENT_ID as the audience";
  const issuer = "the interface shows no iss: verify none, or add it with the choice guard.jwt.claims";
  return [
    { takes: "aud is the app's address", fix: audience, call: withAudience(url) },
    { takes: "aud is the app's address with a slash at the end", fix: audience, call: withAudience(`${url}/`) },
    {
      takes: "aud is the module's key",
      fix: audience,
      call: (right) => withAudience(right.token?.claims.module)(right),
    },
    { takes: "aud is the platform's address", fix: audience, call: withAudience(platformUrl) },
    {
      takes: "iss is the platform's address",
      fix: issuer,
      call: (right) => (right.token?.claims.iss === undefined ? withClaims(right, { iss: platformUrl }) : null),
    },
  ];
}

function withAudience(aud: unknown): UsualMistake["call"] {
  return (right) => (right.token?.claims.aud === undefined ? null : withClaims(right, { aud }));
}

/** Wrong names under which apps look for the value of a claim, and its actual path. */
const otherClaims: readonly (readonly [name: string, path: readonly string[]])[] = [
  ["organizationId", ["context", "organization_id"]],
  ["organization_id", ["context", "organization_id"]],
  ["userId", ["context", "user_id"]],
  ["user_id", ["context", "user_id"]],
  ["moduleKey", ["module"]],
];

function claimMistake([name, path]: (typeof otherClaims)[number]): UsualMistake {
  return {
    takes: `the JWT has the claim ${name}`,
    fix: `there is no such claim: use ${path.join(".")}`,
    call: (right) => {
      const value = path.reduce<unknown>(
        (within, key) => (within as Record<string, unknown> | undefined)?.[key],
        right.token?.claims,
      );
      return value === undefined ? null : withClaims(right, { [name]: value });
    },
  };
}

const formBody: UsualMistake = {
  takes: "its body is a form",
  fix: "the body is JSON: make the route parse it (express.json(), in Express)",
  call: (right) => {
    if (right.body === null || !("json" in right.body)) return null;
    const fields = new URLSearchParams(right.body.json as Record<string, string>);
    return {
      ...withHeader(right, "Content-Type", "application/x-www-form-urlencoded"),
      body: { bytes: Buffer.from(fields.toString()) },
    };
  },
};
