import { Secret, TOTP } from "otpauth";

/** What every authenticator assumes by default (RFC 6238; choice `login.mfa`). */
const parameters = { algorithm: "SHA1", digits: 6, period: 30 } as const;
/** Time steps before and after the current one whose codes are accepted: clocks differ (RFC 6238 section 5.2). */
const WINDOW = 1;

/** The display of a virtual authenticator. */
export interface AuthenticatorCode {
  /** Six digits. */
  readonly code: string;
  /** Whole seconds until the next code, 1 to 30. */
  readonly secondsLeft: number;
}

/**
 * The code of this moment (RFC 6238).
 * @param secret base32
 * @param now milliseconds since the epoch
 */
export function currentCode(secret: string, now: number): AuthenticatorCode {
  const code = authenticator(secret).generate({ timestamp: now });
  return { code, secondsLeft: parameters.period - (Math.floor(now / 1000) % parameters.period) };
}

/** Whether a code is valid now, give or take one step of 30 s. */
export function isRightCode(secret: string, code: string, now: number): boolean {
  // The library throws for a code with six characters but more bytes.
  return (
    /^[0-9]{6}$/.test(code) && authenticator(secret).validate({ token: code, timestamp: now, window: WINDOW }) !== null
  );
}

/** A code that is wrong now, to fail on purpose. */
export function wrongCode(secret: string, now: number): string {
  const codes = ["000000", "111111", "222222", "333333"];
  const wrong = codes.find((code) => !isRightCode(secret, code, now));
  if (wrong === undefined) throw new RangeError("more right codes than the window has steps");
  return wrong;
}

function authenticator(secret: string): TOTP {
  return new TOTP({ secret: Secret.fromBase32(secret), ...parameters });
}
