import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { FormTokens } from "./form-tokens.ts";
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
  // A request without a body has no content type that could be refused.
  const form = (request.body ?? {}) as Form;
  if (isOwnRequest(request, true) && tokens.isRight(subject, form.token ?? "")) return form;
  void sendMessage(request, reply, 403, {
    title: "This form is not accepted",
    reason: "it was sent by another site, or its page is out of date",
    hint: "go back, load the page again, and send the form from there",
    link: { address: request.url, text: "Load the page again" },
  });
  return null;
}
