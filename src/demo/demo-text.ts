import type { GuardResult } from "../guard/guard-result.ts";
import type { OAuthLoginResult } from "../oauth-login/login-result.ts";
import { fold, indent } from "../output/layout.ts";
import type { Paint } from "../output/paint.ts";
import { markOf, plural, reasonText } from "../output/text.ts";
import type { ImportResult } from "../post-import/import-result.ts";
import { whatTheAppDid } from "../post-import/text/changed-fields.ts";
import { isText, textLines } from "../post-import/text/changed-texts.ts";
import { importText } from "../post-import/text/import-text.ts";
import type { WebhookResult } from "../webhook/webhook-result.ts";

/** A mark, and a text with a hanging indent. */
function marked(isRight: boolean, text: string, paint: Paint): string[] {
  const [first = "", ...rest] = fold(text, paint.width - 2);
  return [`${markOf(isRight ? "passed" : "denied", paint)} ${first}`, ...indent(rest, 2)];
}

/** A login in one line: who came from where, and which guards let them in, or which did not and why. */
export function loginLines(
  { outcome, user, ipAddress, deniedBy, reason, stages }: GuardResult,
  paint: Paint,
): string[] {
  const who = `${user.role} from ${ipAddress}: ${outcome}`;
  const guards = stages.flatMap(({ stage, module, result }) =>
    stage === "guard" && result === "passed" ? [module] : [],
  );
  if (outcome === "granted")
    return marked(true, `${who} by ${guards.join(", ") || "no guard: this user is exempt"}`, paint);
  const by = deniedBy === null ? "" : ` by ${deniedBy}`;
  return marked(outcome === "denied", `${who}${by}: ${reasonText(reason ?? "")}`, paint);
}

/** How many strings came back and changed, with one of the changes; for a failed import, everything known. */
export function importLines(result: ImportResult, paint: Paint): string[] {
  const [job] = result.jobs;
  if (job?.outcome !== "imported") return importText(result, () => [], paint, false).slice(0, -1);
  const { fixture, module, received, changes } = job;
  const [text] = changes.strings.flatMap(({ fields }) => fields.filter(isText));
  const what = `${plural(received.strings, "string")} of ${fixture} came back, ${changes.changed} changed by ${module}:`;
  const view = { sides: whatTheAppDid, paint: { ...paint, width: paint.width - 4 }, details: false };
  return [...marked(true, what, paint), ...(text === undefined ? [] : indent(textLines(text, view), 4))];
}

/** A line for each delivery; the correct ones around a forged one are omitted, because the first result has one. */
export function deliveryLines([right, forged]: readonly WebhookResult[], paint: Paint): string[] {
  const forgeries = forged?.deliveries.filter(({ tampered }) => tampered !== null) ?? [];
  return [right?.deliveries ?? [], forgeries].flatMap((deliveries) =>
    deliveries.flatMap(({ events, tampered, result, attempts, asExpected }) => {
      const what = `${plural(events, "event")}, ${tampered === null ? "correctly signed" : "with a wrong signature"}`;
      return marked(asExpected, `${what}: ${result} ${attempts.at(-1)?.status ?? ""}`.trimEnd(), paint);
    }),
  );
}

/** A login by OAuth in one line, and what failed. */
export function oauthLines({ outcome, reason, steps }: OAuthLoginResult, paint: Paint): string[] {
  const passed = steps.filter(({ result }) => result === "passed").map(({ step }) => step);
  const why = outcome === "ok" ? "" : `; then ${reasonText(reason ?? outcome)}`;
  return marked(outcome === "ok", `passed: ${passed.join(", ")}${why}`, paint);
}
