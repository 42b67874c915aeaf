import { buttonsNamed, buttonsOf, chooseButton } from "./choose-button.ts";
import type { SimulatorContext } from "./context.ts";
import { fieldsIn, fillFields, hasEmptyText } from "./fill-fields.ts";
import { missingFields } from "./form-entries.ts";
import { formRequest, getRequest, type PageRequest } from "./form-request.ts";
import { fieldsMissing, noSuchButton, noSuchField, nothingToDo, sameForm, trouble } from "./form-troubles.ts";
import { callbackQuery, destinationOf } from "./guard-callback.ts";
import type { HtmlForm } from "./html-form.ts";
import type { HtmlPage } from "./html-page.ts";
import type { Logins } from "./logins.ts";
import { createPageClient } from "./page-client.ts";
import type { PageVisit, PageWork, VisitTrouble } from "./page-visit.ts";

/** Forms that are sent in one visit, at most. */
const MOST_FORMS = 20;

/** What a visit has come to. */
interface Progress {
  /** All pages so far. */
  readonly seen: HtmlPage[];
  /** Names of the fields that were filled in. */
  readonly filled: Set<string>;
  /** The forms that were sent, each by what it is recognized by. */
  readonly sent: Set<string>;
}

type Step = { readonly ok: true; readonly request: PageRequest } | ({ readonly ok: false } & VisitTrouble);

/**
 * Walks the page of a redirect guard over HTTP as a person would in a browser without scripts: opens it, fills in and
 * sends its forms, keeps cookies and follows redirects within the app, and comes back to the guard callback
 * (interface 3.1, 4.2). Whatever stands in the way ends the login with the reason.
 */
export async function walkForms(context: SimulatorContext, logins: Logins, visit: PageVisit): Promise<void> {
  const { interaction, work } = visit;
  const client = await createPageClient(context, visit);
  const progress: Progress = { seen: [], filled: new Set(), sent: new Set() };
  let arrived = await client.open(getRequest(await interaction.pageUrl()), null);
  while (arrived.kind === "page") {
    const { page } = arrived;
    const step = nextStep(page, visit, progress, context.ids.secret());
    arrived = step.ok ? await client.open(step.request, page) : { kind: "trouble", ...step };
  }
  if (arrived.kind === "trouble") return visit.leave(arrived);
  const overlooked = visit.isLast() && progress.sent.size > 0 ? overlookedWork(work, progress.seen) : null;
  if (overlooked !== null) return visit.leave(overlooked);
  if (arrived.status !== 302) interaction.warn(not302(arrived.status));
  const refused = comeBack(logins, arrived);
  if (refused !== null) visit.leave(refused);
}

/** What a person would do next at this page. */
function nextStep(page: HtmlPage, visit: PageVisit, progress: Progress, boundary: string): Step {
  const { fill, press } = visit.work;
  progress.seen.push(page);
  const open = Object.keys(fill).filter((name) => !progress.filled.has(name));
  const form = chooseForm(page.forms, open, press);
  if (form === null) {
    const link = page.links.find((href) => destinationOf(new URL(href), visit.whereabouts).kind === "callback");
    return link === undefined ? stop(nothingToDo(page, visit)) : { ok: true, request: getRequest(link) };
  }
  const signature = signatureOf(form);
  if (progress.sent.has(signature) || progress.sent.size === MOST_FORMS) return stop(sameForm(page, visit));
  const here = fieldsIn(form, Object.keys(fill));
  // To send a form half empty would cost a try where tries are counted.
  if (here.length === 0 && open.length > 0 && hasEmptyText(form)) return stop(noSuchField(open, progress.seen));
  const filled = fillFields(form, fill);
  if (!filled.ok) return stop(trouble(filled.reason, filled.hint));
  const chosen = chooseButton(filled.form, press);
  if (!chosen.ok) return stop(trouble(chosen.reason, chosen.hint));
  const missing = form.noValidate || chosen.button?.noValidate ? [] : missingFields(filled.form);
  if (missing.length > 0) return stop(fieldsMissing(missing));
  const made = formRequest(filled.form, chosen.button, boundary);
  if (!made.ok) return stop(trouble(made.reason, made.hint));
  progress.sent.add(signature);
  for (const name of here) {
    progress.filled.add(name);
    visit.work.filled.add(name);
  }
  if (chosen.press !== null) visit.work.pressed.add(chosen.press);
  return made;
}

/** The form with most of the fields that are still to be filled in; else the one with the button; else any. */
function chooseForm(forms: readonly HtmlForm[], names: readonly string[], presses: readonly string[]): HtmlForm | null {
  const counts = forms.map((form) => fieldsIn(form, names).length);
  const most = Math.max(0, ...counts);
  if (most > 0) return forms[counts.indexOf(most)] ?? null;
  const named = forms.find((form) => presses.some((press) => buttonsNamed(buttonsOf(form), press).length > 0));
  return named ?? forms.find((form) => buttonsOf(form).length > 0) ?? null;
}

/** A form that goes elsewhere, or has other fields, is another. */
function signatureOf({ method, action, controls }: HtmlForm): string {
  return JSON.stringify([method, action, controls.map(({ kind, name }) => [kind, name])]);
}

/**
 * What was asked for and not done, although there were forms: the app's answer would be to something else than what
 * was meant, so it does not count.
 */
function overlookedWork({ fill, press, filled, pressed }: PageWork, seen: readonly HtmlPage[]): VisitTrouble | null {
  const open = Object.keys(fill).filter((name) => !filled.has(name));
  if (open.length > 0) return noSuchField(open, seen);
  const missing = press.filter((name) => !pressed.has(name));
  return missing.length > 0 ? noSuchButton(missing, seen) : null;
}

function not302(status: number | null): string {
  const how = status === null ? "by a link or form of its page" : `with HTTP ${status}`;
  return `the app came back ${how}, expected HTTP 302 (interface 4.2)`;
}

/** Hands the callback to the platform, as a request for it would. */
function comeBack(
  logins: Logins,
  { url, domain }: { readonly url: URL; readonly domain: string },
): VisitTrouble | null {
  const query = callbackQuery(url);
  if (query === null) {
    const hint = "encode each value once (RFC 3986, 2.1)";
    return trouble("the query of the guard callback is not percent-encoded UTF-8", hint);
  }
  const arrival = logins.callback(domain, query);
  if (arrival.ok) return null;
  const { status, message, hint } = arrival;
  return trouble(`the guard callback was refused with ${status}: ${message}`, hint);
}

function stop(why: VisitTrouble): Step {
  return { ok: false, ...why };
}
