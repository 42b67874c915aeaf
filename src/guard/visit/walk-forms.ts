import { signInHint } from "../../browser/addresses.ts";
import { buttonsAsFields, guessHint } from "../../browser/button-words.ts";
import {
  buttonsHint,
  buttonsNamed,
  buttonsOf,
  chooseButton,
  fieldsIn,
  fillFields,
  hasEmptyText,
  type PageTrouble,
  pageTrouble,
  submitNames,
  withHint,
  withRequiredChoices,
} from "../../browser/fill-form.ts";
import { formRequest, getRequest, type PageRequest } from "../../browser/form-request.ts";
import { type HtmlForm, isField, missingFields, onlyLeadsOn } from "../../browser/html-form.ts";
import type { HtmlPage, Link } from "../../browser/html-page.ts";
import type { SimulatorContext } from "../../platform/context.ts";
import { type CallbackQuery, type CallbackRefusal, callbackQuery } from "../rules/callback.ts";
import { formPolicyWarning } from "./form-warnings.ts";
import { createPageOpener, type PageOutcome } from "./page-client.ts";
import { destinationOf, type PageVisit, parametersHint, wayBackWarning } from "./page-visit.ts";
import { lostStateHint } from "./returned-state.ts";
import {
  fieldsMissing,
  linksInApp,
  noSuchButton,
  noSuchField,
  nothingToDo,
  nothingToFill,
  openFields,
  otherButtons,
  sameForm,
  unnamedWarning,
} from "./walk-troubles.ts";

/** Maximum number of forms sent in one visit. */
const MAX_FORMS = 20;

/** Where users return: the guard callback (interface 4.1). */
interface CallbackReceiver {
  callback(
    domain: string | null,
    query: CallbackQuery,
  ): { readonly ok: true } | ({ readonly ok: false } & Pick<CallbackRefusal, "status" | "message" | "hint">);
}

/** What a visit has done so far: its pages, the names of the fields filled in, and the forms sent, in order. */
interface Progress {
  readonly seen: HtmlPage[];
  readonly filled: Set<string>;
  readonly sent: Signature[];
}

/** What distinguishes forms. */
interface Signature {
  /** Its action, and its fields. */
  readonly shape: string;
  /** The values of its hidden fields: steps of a wizard may differ only in these. */
  readonly hidden: string;
  /** false: a link. */
  readonly isForm: boolean;
}

/** The next request, and whether it submits a form. */
type Step =
  | { readonly ok: true; readonly request: PageRequest; readonly isForm: boolean }
  | ({ readonly ok: false } & PageTrouble);

/**
 * Walks the page of a redirect guard over HTTP as a person would in a browser without scripts: opens it, fills in and
 * submits its forms, keeps cookies and follows redirects within the app, and returns to the guard callback (interface
 * 3.1, 4.2). Any obstacle ends the login with the reason.
 */
export async function walkForms(
  context: SimulatorContext,
  platform: CallbackReceiver,
  visit: PageVisit,
): Promise<void> {
  const { interaction } = visit;
  const open = await createPageOpener(context, visit);
  const progress: Progress = { seen: [], filled: new Set(), sent: [] };
  const first = await interaction.pageUrl();
  let form: PageRequest | null = null;
  let outcome = await open(getRequest(first), null);
  while (outcome.kind === "page") {
    const { page } = outcome;
    const step = nextStep(page, visit, progress, context.ids.secret());
    outcome = step.ok ? await open(step.request, page) : { kind: "trouble", ...step };
    if (step.ok && step.isForm) {
      form = step.request;
      const warning = formPolicyWarning(page, new URL(step.request.url), endOf(outcome, step.request));
      if (warning !== null) interaction.warn(warning);
    }
  }
  if (outcome.kind === "trouble") {
    const [opened] = progress.seen;
    const signIn = opened === undefined ? null : signInHint(new URL(first), new URL(opened.url));
    return visit.leave(withHint(outcome, signIn));
  }
  const overlooked = visit.isLast() && progress.sent.length > 0 ? overlookedWork(visit, progress.seen) : null;
  if (overlooked !== null) return visit.leave(overlooked);
  const warning = wayBackWarning(outcome.status);
  if (warning !== null) interaction.warn(warning);
  const refused = comeBack(platform, outcome, (query) => lostStateHint(query, new URL(first), form));
  if (refused !== null) visit.leave(refused);
}

/** Where redirects led from a request; null: there were none, or they led nowhere. */
function endOf(outcome: PageOutcome, { url }: PageRequest): URL | null {
  if (outcome.kind === "callback") return outcome.status === null ? null : outcome.url;
  return outcome.kind === "page" && outcome.page.url !== url ? new URL(outcome.page.url) : null;
}

/** What a person would do next on this page. */
function nextStep(page: HtmlPage, visit: PageVisit, progress: Progress, boundary: string): Step {
  const { fill, press } = visit.work;
  progress.seen.push(page);
  for (const name of openFields([page])) visit.work.seen.add(name);
  const open = Object.keys(fill).filter((name) => !progress.filled.has(name));
  const link = linkToFollow(page, visit);
  if (link !== null) {
    const signature = { shape: link.href, hidden: "", isForm: false };
    if (isAgain(signature, progress.sent) || progress.sent.length === MAX_FORMS)
      return stop(nothingToDo(page, visit, false));
    progress.sent.push(signature);
    for (const name of press.filter((each) => isNamed(link, each))) visit.work.pressed.add(name);
    return { ok: true, request: getRequest(link.href), isForm: false };
  }
  const form = chooseForm(page.forms, open, press);
  if (form === null) {
    const next = nextPage(page, visit, progress.seen);
    if (next !== null) return { ok: true, request: getRequest(next), isForm: false };
    const isSent = progress.sent.some(({ isForm }) => isForm);
    return stop(nothingToDo(page, visit, isSent));
  }
  const signature = signatureOf(form);
  if (isAgain(signature, progress.sent) || progress.sent.length === MAX_FORMS) return stop(sameForm(page, form, visit));
  const here = fieldsIn(form, Object.keys(fill));
  const asFields = buttonsOf(form).flatMap(({ name }) => (open.includes(name) && !here.includes(name) ? [name] : []));
  if (asFields.length > 0) return stop(buttonsAsFields([...new Set(asFields)], buttonsHint(buttonsOf(form))));
  // Pressing another button than the one asked for may be a different decision.
  const pending = press.filter((name) => !visit.work.pressed.has(name));
  const isOther =
    here.length === 0 && pending.length > 0 && buttonsOf(form).length > 0 && !isPassage(form, page, press);
  if (isOther && !visit.work.isGuessing) return stop(otherButtons(page, pending, visit));
  // Submitting a half-empty form would cost a try if tries are counted.
  if (here.length === 0 && open.length > 0 && hasEmptyText(form)) return stop(noSuchField(open, progress.seen, visit));
  if (
    here.length === 0 &&
    open.length > 0 &&
    progress.sent.length === 0 &&
    visit.isLast() &&
    !isPassage(form, page, press)
  ) {
    return stop(nothingToFill(open, progress.seen, visit));
  }
  const entered = fillFields(form, fill);
  if (!entered.ok) return stop(pageTrouble(entered.reason, entered.hint));
  const filled = visit.work.isGuessing ? { form: withRequiredChoices(entered.form) } : entered;
  const chosen = chooseButton(filled.form, press);
  if (!chosen.ok) return stop(pageTrouble(chosen.reason, chosen.hint));
  const missing = missingFields(filled.form, chosen.button);
  if (missing.length > 0) return stop(fieldsMissing(missing));
  const made = formRequest(filled.form, chosen.button, boundary);
  if (!made.ok) return stop(pageTrouble(made.reason, made.hint));
  progress.sent.push(signature);
  const unnamed = unnamedWarning(page, form);
  if (unnamed !== null) visit.interaction.warn(unnamed);
  for (const name of here) {
    progress.filled.add(name);
    visit.work.filled.add(name);
  }
  if (chosen.press !== null) visit.work.pressed.add(chosen.press);
  const among = chosen.press === null ? submitNames(here.length > 0 ? [form] : page.forms) : [];
  if (among.length > 1) visit.work.onGuess?.(guessHint(among, press));
  visit.work.presses.count += 1;
  return { ...made, isForm: true };
}

/** The form with most of the fields still to be filled in; else the one with the button; else any. */
function chooseForm(forms: readonly HtmlForm[], names: readonly string[], presses: readonly string[]): HtmlForm | null {
  const counts = forms.map((form) => fieldsIn(form, names).length);
  const most = Math.max(0, ...counts);
  if (most > 0) return forms[counts.indexOf(most)] ?? null;
  const named = forms.find((form) => presses.some((press) => buttonsNamed(buttonsOf(form), press).length > 0));
  return named ?? forms.find((form) => buttonsOf(form).length > 0) ?? null;
}

/** The app's link to follow if no button has the name; null: none. */
function linkToFollow(page: HtmlPage, visit: PageVisit): Link | null {
  const { forms, hasScripts } = page;
  const { work } = visit;
  const own = linksInApp(page, visit);
  const press = work.press.filter((name) => !forms.some((form) => buttonsNamed(buttonsOf(form), name).length > 0));
  const named = own.find((link) => press.some((name) => isNamed(link, name)));
  const [only, ...others] = forms.length > 0 || hasScripts || work.press.length > 0 ? [] : own;
  const isOnly = work.isGuessing === true && only !== undefined && others.length === 0;
  return named ?? (isOnly ? only : null);
}

function isNamed({ text }: Link, name: string): boolean {
  return text.toLowerCase() === name.toLowerCase();
}

/** Where a page without a form leads: back, or to a page not seen yet; null: neither. */
function nextPage({ links, refresh }: HtmlPage, { login }: PageVisit, seen: readonly HtmlPage[]): string | null {
  const back = links.find(({ href }) => destinationOf(new URL(href), login).kind === "callback");
  if (back !== undefined) return back.href;
  return seen.length > MAX_FORMS || seen.some(({ url }) => url === refresh) ? null : refresh;
}

/** Whether submitting the form unfilled is harmless: its button was asked for, or the page only leads on. */
function isPassage(form: HtmlForm, { forms }: HtmlPage, presses: readonly string[]): boolean {
  const buttons = buttonsOf(form);
  const isOnly = forms.every((other) => other === form || buttonsOf(other).length === 0);
  return presses.some((press) => buttonsNamed(buttons, press).length > 0) || (isOnly && onlyLeadsOn(form));
}

/** A form with another action or other fields is a different one. */
function signatureOf({ method, action, controls }: HtmlForm): Signature {
  const fields = controls.filter(isField).filter(({ kind }) => kind === "hidden");
  return {
    shape: JSON.stringify([method, action, controls.map(({ kind, name }) => [kind, name])]),
    hidden: JSON.stringify(fields.map(({ value }) => value)),
    isForm: true,
  };
}

/** Steps of a wizard may differ only in a hidden value; but so does the same form with a fresh token. */
function isAgain({ shape, hidden }: Signature, sent: readonly Signature[]): boolean {
  const before = sent.slice(-2);
  if (before.length === 2 && before.every((form) => form.shape === shape)) return true;
  return sent.some((form) => form.shape === shape && form.hidden === hidden);
}

/**
 * What was asked for but not done, although there were forms: the app would be answering something other than what was
 * intended.
 */
function overlookedWork(visit: PageVisit, seen: readonly HtmlPage[]): PageTrouble | null {
  const { fill, press, filled, pressed } = visit.work;
  const open = Object.keys(fill).filter((name) => !filled.has(name));
  if (open.length > 0) return noSuchField(open, seen, visit);
  const missing = press.filter((name) => !pressed.has(name));
  return missing.length > 0 ? noSuchButton(missing, seen, visit) : null;
}

/**
 * Passes the callback to the platform, as a request would.
 * @param stateHint what is known about the page's state if the platform refuses it
 */
function comeBack(
  platform: CallbackReceiver,
  { url, domain }: { readonly url: URL; readonly domain: string | null },
  stateHint: (query: CallbackQuery) => string | null,
): PageTrouble | null {
  const query = callbackQuery(url.search);
  if (query === null) {
    const hint = "encode each value once (RFC 3986, 2.1)";
    return pageTrouble("the query of the guard callback is not percent-encoded UTF-8", hint);
  }
  const outcome = platform.callback(domain, query);
  if (outcome.ok) return null;
  const { status, message, hint } = outcome;
  const has = parametersHint(url);
  return pageTrouble(
    `the guard callback was refused with ${status}: ${message}`,
    stateHint(query) ?? (has === null ? hint : `${has}; ${hint}`),
  );
}

function stop(why: PageTrouble): Step {
  return { ok: false, ...why };
}
