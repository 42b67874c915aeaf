import { buttonsOf } from "../../../browser/fill-form.ts";
import type { FormButton } from "../../../browser/html-form.ts";
import type { TrialCheck } from "../../../checking/check.ts";
import type { RequestParts } from "../../../checking/request-parts.ts";
import { faulty, PASSED, skipVerdict } from "../../../checking/verdict.ts";
import { isPassed, pageOf } from "../walk/answer.ts";
import type { ReadyForm } from "../walk/login.ts";
import type { FormTools } from "../walk/tools.ts";
import { labelOf, refuses } from "./buttons.ts";
import { fieldsOf, withField, withoutField } from "./form.ts";

const CANCELLED = "cancelled";

/** The check of the button that cancels the last form: other checks press those of the first page. */
export const cancelledCheck: TrialCheck<FormTools> = {
  id: "page.form.cancelled",
  area: "page",
  title: "The button that cancels the last form gets no code, even if all its fields are filled in",
  section: "3.1",
  severity: "must",
  why: "A user who cancels must not be let in. Code that looks only at the fields, or has one branch for all buttons, does not notice it.",
  fix: "Check first which button was pressed, and issue a code only for the one that says yes.",
  run: async (tools) => {
    const own = await tools.login("opened");
    const cancelled = own && withCancelling(own);
    if (cancelled !== null) await tools.send(CANCELLED, cancelled);
  },
  judge: ({ steps, landing }) => {
    const sent = steps.find(({ role }) => role === CANCELLED);
    if (sent === undefined) return skipVerdict("the last form has no button that cancels it");
    return isPassed(landing(sent.exchange)) ? faulty(cancelledCheck, "the user came back with a code") : PASSED;
  },
};

/** The form as it is sent by the button that cancels it; null: it has none. */
export function withCancelling({ request, walked }: ReadyForm): RequestParts | null {
  const shown = walked.at(-1);
  const fields = fieldsOf(request);
  const isPressed = ({ name, value }: FormButton) =>
    fields.some(([each, sent]) => name !== "" && each === name && sent === value);
  for (const form of (shown && pageOf(shown))?.forms ?? []) {
    const buttons = buttonsOf(form).filter(({ kind }) => kind === "submit");
    const yes = buttons.find(isPressed);
    const no = buttons.find((button) => button.name !== "" && button.action == null && refuses(labelOf(button)));
    if (yes === undefined || no === undefined || refuses(labelOf(yes))) continue;
    const others = yes.name === no.name ? request : withoutField(request, yes.name);
    return others && withField(others, no.name, no.value);
  }
  return null;
}
