import { createHmac } from "node:crypto";
import type { TrialCheck } from "../checking/check.ts";
import { withToken } from "../checking/request-parts.ts";
import { signedWith } from "../checking/token-twin.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import type { App } from "../config/schema.ts";
import { appSecrets } from "../config/secrets.ts";
import { answerParts } from "../journal/answer-parts.ts";
import { type Exchange, headerValue } from "../journal/exchange.ts";
import { bearerToken } from "../protocol/bearer.ts";
import type { GuardTrial } from "./trial.ts";

/** The check that a guard does not sign for strangers. */
export const leakedSignatureCheck: TrialCheck<GuardTrial> = {
  id: "guard.answer.signature",
  area: "guard",
  section: "5.1",
  severity: "must",
  title: "The guard does not reveal the correct signature when it refuses a wrong one",
  why: "An answer that shows the expected signature signs for anybody who asks. With that signature a stranger's token is accepted.",
  fix: "Answer 401 without any details, and write them to the app's own log.",
  run: async ({ prepare, send }) => {
    const forged = withToken(await prepare(), ({ header }) =>
      signedWith(header, "a secret that the app does not have"),
    );
    if (forged !== null) await send("forged", forged);
  },
  judge: ({ app, steps: [step] }) => {
    if (step === undefined) return skipVerdict("its requests have no token");
    const text = answerParts(step.exchange).map((part) => part.text);
    const isRevealed = rightSignatures(step.exchange, app).some((signature) =>
      text.some((part) => part.includes(signature)),
    );
    return isRevealed
      ? faulty(leakedSignatureCheck, "the app's answer contains the correct signature of the token")
      : PASSED;
  },
};

/** The correct signatures of a request's token, with the app's secrets, in the usual encodings. */
function rightSignatures({ request }: Exchange, app: App): string[] {
  const token = bearerToken(headerValue(request.headers, "authorization")) ?? "";
  const signed = token.slice(0, token.lastIndexOf("."));
  return appSecrets(app).flatMap(({ value }) => {
    const digest = createHmac("sha256", value).update(signed).digest();
    return (["base64url", "base64", "hex"] as const).map((encoding) => digest.toString(encoding));
  });
}
