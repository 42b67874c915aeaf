import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { FormTokens } from "./form-tokens.ts";
import type { Message } from "./message-page.ts";
import { isOwnRequest } from "./own-origin.ts";
import { sendMessage } from "./send-page.ts";

/** The fields of a form; of a field that is there twice, the last. */
export type Form = Readonly<Record<string, string>>;

/** Larger than any form of ours. */
const FORM_LIMIT_BYTES = 16 * 1024;

/** Makes a scope in which POST takes forms and nothing else. */
export function acceptForms(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    "application/x-www-form-urlencoded",
    { parseAs: "string", bodyLimit: FORM_LIMIT_BYTES },
    async (_request: FastifyRequest, body: string): Promise<Form> => Object.fromEntries(new URLSearchParams(body)),
  );
}

/** The form that a page of ours sent about a subject; null: it is none, and the answer says so (hardening S10). */
export function readForm(
  request: FastifyRequest,
  reply: FastifyReply,
  tokens: FormTokens,
  subject: string,
): Form | null {
  if (isOwnForm(request, tokens, subject)) return formOf(request);
  const link = { address: request.url, text: "Load the page again" };
  void sendMessage(request, reply, 403, { ...FOREIGN_FORM, link });
  return null;
}

/** What is said of a form that no page of ours sent. */
export const FOREIGN_FORM: Message = {
  title: "This form is not accepted",
  reason: "it was sent by another site, or its page is out of date",
  hint: "go back, load the page again, and send the form from there",
};

/** Whether a page of ours sent the form, about this subject (hardening S10). */
export function isOwnForm(request: FastifyRequest, tokens: FormTokens, subject: string): boolean {
  return isOwnRequest(request, true) && tokens.isRight(subject, formOf(request).token ?? "");
}

/** A request without a body has no content type that could be refused. */
export function formOf({ body }: FastifyRequest): Form {
  return (body ?? {}) as Form;
}
