import { createHmac } from "node:crypto";
import { isSameSecret } from "../protocol/same-secret.ts";

/** Tokens that a form has to send back, so that only a page of ours can have sent it (hardening S10). */
export interface FormTokens {
  /** The token of the forms about one subject, such as a login. */
  tokenFor(subject: string): string;
  isRight(subject: string, token: string): boolean;
}

/** @param key what nobody can guess; tokens made with another are not right */
export function createFormTokens(key: string): FormTokens {
  const tokenFor = (subject: string) => createHmac("sha256", key).update(subject).digest("base64url");
  return {
    tokenFor,
    isRight: (subject, token) => isSameSecret(token, tokenFor(subject)),
  };
}
