import { buttonsOf, fieldsIn } from "../../../browser/fill-form.ts";
import type { HtmlForm } from "../../../browser/html-form.ts";
import type { TrialCheck } from "../../../checking/check.ts";
import type { RequestParts } from "../../../checking/request-parts.ts";
import { faulty, PASSED, skipVerdict } from "../../../checking/verdict.ts";
import type { Exchange } from "../../../journal/exchange.ts";
import { pageOf } from "../walk/answer.ts";
import type { ReadyForm } from "../walk/login.ts";
import type { RepeatedExchange } from "../walk/replay.ts";
import type { FormTools } from "../walk/tools.ts";
import { hiddenValue, isAcceptance, unticked } from "./boxes.ts";
import { fieldsSent, withParameters } from "./earlier-requests.ts";
import { type FormFields, fieldsOf, hasField, withField, withoutField } from "./form.ts";
import { asksForSecret } from "./secret-fields.ts";

const TRIED = "tried";
/** Maximum number of fields that are tried. */
const MOST_FIELDS = 6;

/** The check of what the page itself says must be filled in. */
export const requiredCheck: TrialCheck<FormTools> = {
  id: "page.form.required",
  area: "page",
  title: "The form gets no code without what its page requires",
  section: "3.1",
  severity: "should",
  why: "Only browsers enforce the attribute `required`, so a form that a script sends gets past it. A box that accepts terms is required with or without the attribute.",
  fix: "Check on the server that each required field is there and is not empty, and that the box is ticked; or leave out the attribute.",
  run: async (tools) => {
    const own = await tools.login("opened");
    if (own === null) return;
    const [shown] = own.walked.slice(-1);
    if (shown === undefined) return;
    const sendChanged = async (change: (request: RequestParts) => RequestParts | null) => {
      const login = await tools.login("opened");
      const changed = login === null ? null : change(login.request);
      if (changed !== null) await tools.send(TRIED, changed);
    };
    for (const name of requiredIn(shown, own.request, tools.configured).slice(0, MOST_FIELDS)) {
      await sendChanged((request) => withField(request, name, ""));
      await sendChanged((request) => withoutField(request, name));
    }
    for (const name of boxesIn(shown, fieldsOf(own.request), tools.configured).slice(0, MOST_FIELDS))
      await sendChanged((request) => unticked(request, shown, name));
    for (const box of earlierBoxes(own, tools.configured).slice(0, MOST_FIELDS)) {
      const request = await tools.lastRequest(own.person, (between) => [untickedBefore(between, box)]);
      if (request !== null) await tools.send(TRIED, request);
    }
  },
  judge: ({ steps, landing, read }) => {
    const tried = steps.filter(({ role }) => role === TRIED).map(({ exchange }) => read(landing(exchange)));
    if (tried.length === 0)
      return skipVerdict(
        "the page has no required box, and no required field that is configured, other than for a password",
      );
    const accepted = tried.find(({ kind }) => kind === "accepted");
    return accepted === undefined ? PASSED : faulty(requiredCheck, `the app ${accepted.says}`);
  },
};

/** The required text fields of a page that the configuration fills; passwords have a check of their own. */
function requiredIn(shown: Exchange, sent: RequestParts, configured: FormTools["configured"]): string[] {
  const isTyped = (name: string) =>
    fieldsOf(sent).some(([each, value]) => each === name && value !== "" && value === configured[name]);
  return (pageOf(shown)?.forms ?? [])
    .filter((form) => isValidated(form, fieldsOf(sent)))
    .flatMap((form) => requiredTexts(form))
    .filter((name) => isTyped(name) && !asksForSecret(shown, name));
}

/** The boxes that are ticked because the page requires it, or because the configuration says so. */
function boxesIn(shown: Exchange, sent: FormFields, configured: FormTools["configured"]): string[] {
  return (pageOf(shown)?.forms ?? []).flatMap((form) => {
    const boxes = form.controls.flatMap((each) =>
      each.kind === "checkbox" &&
      ((isAcceptance(each.name) && Object.hasOwn(configured, each.name)) ||
        (each.isRequired && isValidated(form, sent)))
        ? [each.name]
        : [],
    );
    return fieldsIn(form, boxes).filter((name) => hasField(sent, name));
  });
}

/** A box of a form before the last one. */
interface EarlierBox {
  readonly name: string;
  /** What the form sends all the same if the box is not ticked; null: nothing. */
  readonly otherwise: string | null;
}

/** The boxes of the forms before the last one, unless that has their answers in hidden fields. */
function earlierBoxes({ walked }: ReadyForm, configured: FormTools["configured"]): EarlierBox[] {
  const isCarried = (name: string) => walked.slice(-1).some((last) => hiddenValue(last, name) !== null);
  const boxes = walked.slice(0, -1).flatMap((shown, index) => {
    const sent = walked[index + 1];
    const names = sent === undefined ? [] : boxesIn(shown, fieldsSent(sent.request), configured);
    return names.map((name) => ({ name, otherwise: hiddenValue(shown, name) }));
  });
  const byName = new Map(boxes.map((box) => [box.name, box]));
  return [...byName.values()].filter(({ name }) => !isCarried(name));
}

/** The request of an earlier form as a browser sends it if the box is not ticked. */
function untickedBefore(between: Exchange, { name, otherwise }: EarlierBox): RepeatedExchange {
  if (!hasField(fieldsSent(between.request), name)) return between;
  return withParameters(between, (parameters) => {
    if (!parameters.has(name)) return;
    parameters.delete(name);
    if (otherwise !== null) parameters.append(name, otherwise);
  });
}

function requiredTexts(form: HtmlForm): string[] {
  const texts = form.controls.flatMap((each) => (each.kind === "text" && each.isRequired ? [each.name] : []));
  return fieldsIn(form, texts);
}

/** Whether a browser looks at required fields before it sends the form, with the button that was pressed. */
function isValidated(form: HtmlForm, sent: FormFields): boolean {
  const isPressed = (name: string, value: string) =>
    name === "" || sent.some(([each, text]) => each === name && text === value);
  return !form.noValidate && !buttonsOf(form).some((each) => each.noValidate && isPressed(each.name, each.value));
}
