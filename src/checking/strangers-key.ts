import { createPrivateKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import type { TokenParts } from "./request-parts.ts";
import { signedWith, strangersSecret } from "./token-twin.ts";

/** A key that was issued to no app, and that nobody need keep secret: making an RSA key takes longer than most checks. */
const rsaKey = [
  "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQCrcN0oP5G18kfL6JX/MOC03gAa/4ystwNSOhXNwMxS/omUz4FHlRyjGkVusH",
  "kiDVRmU5sEDn2b9raYcpL71LcNJf4QMnESrKkkB+zGFD0G7BHAuBFHkyJ3A7P081rZVpac5Ma2TfcCyUj7RUNvf0LdfVWDTByPEMo+995bdNbX",
  "32lyRJ6ctmhMXyaS8EHeDIiTDB5gZcHgOGw3u6ygDXzJXekcEli5Qz7awqgWNECcT1PrlovBeftykdajpOTD9OD3vT2PpIzRscwIoKRlfTgPq5",
  "hgZ+6Of93Xr1GlZMcOMgSR89DNQehY+bznXZuUNE/jGZGAUHH8dvP7wYUdPqzdAgMBAAECggEADfRpZAnMnAFFG9FqSDPbzo0VeB0d/78D27ET",
  "rkRHvWevnjfHv6JhCtusFCb0LTPlj1C12P4u9j9+PGlzEmGNptnVVM8uSgVY3TBx8uuZzhLwHP4+ldNhpktcXg9i8Tbtmoa6sAMnnIfy01UfeJ",
  "dkw2+cwsuytWh59ecqJ8qaZEbOi5npJoiip3zTcva1nj3d+D4UFpo7ObfQrrP+0ma6evKkH0G0U29WbQlp0Az1AXICmlFfaS9kfIJcNUP3aACL",
  "w9Z1GB++MKSrkPOr/C+qTnG64TCJh/bSNJ/JnTWikZWwvhcm8eu/STHQcMojAxe1Fv+m4W9BwhxVIU5SdDuaZwKBgQDVU87HyVNwibgFaqCzJD",
  "uWotRaRlgtOhwJV5W2xtRSkSuQP4snJkOSTuEWeuBO9PgMdoLeB65WuB5VtRSTogGit/t2dQGn4P17eD/xBPsmKITJv2R4pvDO9Ij0+EGEPxsP",
  "+LvYXf0vEHud5DHXba1KFP5eGml/LJM8Ep9SWbJCzwKBgQDNvBuhfPGbiun7YDX/ypz8faP9j3300n/NH5sZ/VU+lSWBrnFIUIaB138NtZbWsD",
  "G5m846EXtTJqB7vjS4gOZSN+BBHQspERqeRvE/g12AleEuzcSJJfPHrGsMLI/ZDbQa+gS9bZRgXIYCSSLNO8a4UPAi0EOnqreg5J/3X8ywkwKB",
  "gQCgLA/rM/+hVNZFwtysBP10ygd1TLHyK1pXrVps5PcQk41I/l0F5RYBKZaZoWMABbCk8uqpuMyusgmcwpyTiKV/vnJha9L1cNoCNbSUy++io/",
  "On4zuV14qhaTvX6vqOSC+Sm2i3OULbbp3SXD8MCH5/TCn9EAm8AgT+quDTHSPaQwKBgBZyBVmy9fEQUMK6FmoXwtTRKEkLlKRXKtZIMnW9a8Vu",
  "JC9nxrgrAOG9jwEB5Lj7dBFZ7D/tlFTYC/40HDBc78PckLzJ3GPYl9zYxI03WcYjk/O1Q1HrMBOCvhMP8Ymusw2WZVn9UIjKz1wEeqWFdgK54d",
  "kKe7cZKvuEtecZLo29AoGAeFymzbP9Fqv/2+t+dKpaK33N7OWvS1bA5YlzxtfJbLMbeYDhAeo/3Ho5UZncJjJUFJF8CRfAxB9sXaavZYWE7LLT",
  "2eqF7NJVpdxXIxGiCS4VvEBIecz29mUt4ioX2zKZsWAh1mDThLuRj/SMDw0MiQ87rHhaAhBHXic5Fi1i/Cs=",
].join("");

/** An RSA key that was issued to no app. */
export function strangersRsaKey(): KeyObject {
  return createPrivateKey({ key: Buffer.from(rsaKey, "base64"), format: "der", type: "pkcs8" });
}

/** A key pair that was issued to no app, and the algorithm of its tokens: that of this key, or ES256 for a secret. */
export function strangersKeyLike(key: KeyObject | null): { readonly alg: string; readonly key: KeyObject } {
  const type = key?.asymmetricKeyType;
  if (type === "rsa") return { alg: "RS256", key: strangersRsaKey() };
  if (type === "ed25519") return { alg: "EdDSA", key: generateKeyPairSync("ed25519").privateKey };
  return { alg: "ES256", key: generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey };
}

/** Signs as the platform does, with the key or the secret of a stranger. */
export function signedByStranger(header: TokenParts["header"], issued: KeyObject | null): Partial<TokenParts> {
  if (issued === null || issued.type === "secret") return signedWith(header, strangersSecret);
  const { alg, key } = strangersKeyLike(issued);
  return { header: { ...header, alg }, key };
}
