import { createHmac } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { isSameSecret } from "../protocol/same-secret.ts";
import { isOwnRequest } from "./own-origin.ts";
import { type Message, sendMessage } from "./send-page.ts";

/** The fields of a form; of a repeated field, the last. */
export type Form = Readonly<Record<string, string>>;

const FORM_LIMIT_BYTES = 16 * 1024;

/** Makes POST in a scope accept forms and nothing else. */
export function acceptForms(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    "application/x-www-form-urlencoded",
    { parseAs: "string", bodyLimit: FORM_LIMIT_BYTES },
    async (_request: FastifyRequest, body: string): Promise<Form> => Object.fromEntries(new URLSearchParams(body)),
  );
}

/**
 * The form that one of our pages sent, bound to a subject. Anything else is refused in the answer (hardening S10).
 * @returns null if it was refused
 */
export function readForm(
  request: FastifyRequest,
  reply: FastifyReply,
  tokens: FormTokens,
  subject: string,
): Form | null {
  if (isOwnForm(request, tokens, subject)) return formOf(request);
  const link = { address: request.url, text: "Reload the page" };
  void sendMessage(request, reply, 403, { ...FOREIGN_FORM, link });
  return null;
}

/** The refusal of a form that none of our pages sent. */
export const FOREIGN_FORM: Message = {
  title: "This form is not accepted",
  reason: "it was sent from another site, or its page is out of date",
  hint: "go back, reload the page, and send the form from there",
};

/** Whether one of our pages sent the form, bound to this subject (hardening S10). */
export function isOwnForm(request: FastifyRequest, tokens: FormTokens, subject: string): boolean {
  return isOwnRequest(request, true) && tokens.isRight(subject, formOf(request).token ?? "");
}

/** The form in a request; empty for a request without a body, which has no content type to refuse. */
export function formOf({ body }: FastifyRequest): Form {
  return (body ?? {}) as Form;
}

/** Creates and checks form tokens, which prove that one of our pages sent a form (hardening S10). */
export interface FormTokens {
  tokenFor(subject: string): string;
  isRight(subject: string, token: string): boolean;
}

/** @param key a secret; tokens created with another key are invalid */
export function createFormTokens(key: string): FormTokens {
  const tokenFor = (subject: string) => createHmac("sha256", key).update(subject).digest("base64url");
  return { tokenFor, isRight: (subject, token) => isSameSecret(token, tokenFor(subject)) };
}
