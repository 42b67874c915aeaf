import { choice, fixed, wholeNumber } from "./choice-definition.ts";

/** What the interface leaves open about the login around the guards (interface 3.1). */
export const loginChoices = {
  "login.attempts": choice(
    "3.1",
    ["guard"],
    wholeNumber(1, 100),
    3,
    "1 to 100",
    "how often a wrong password or code, or an untrusted device, may be tried again is not shown",
  ),
  "login.mfa": fixed("3.1", ["guard"], "totp", "RFC 6238 with SHA-1, 6 digits, 30 s, as authenticator apps expect"),
  "guard.state.lifetime": choice(
    "3.1",
    ["guard"],
    wholeNumber(1, 86_400),
    600,
    "1 to 86400 (seconds)",
    "how long the platform waits for a user, and how long the state of a guard's page is good",
  ),
} as const;
