import { addressText } from "../../browser/addresses.ts";
import {
  buttonsHint,
  NEEDS_BROWSER,
  noButtonNamed,
  obstacleOf,
  type PageTrouble,
  pageTrouble,
  shown,
  shownList,
} from "../../browser/fill-form.ts";
import { type FormControl, type HtmlForm, isButton } from "../../browser/html-form.ts";
import type { HtmlPage, Link } from "../../browser/html-page.ts";
import { didYouMean } from "../../protocol/nearest.ts";
import { guardCallbackPath } from "../../web/login-paths.ts";
import { type GuardOfLogin, misspeltGuardHint } from "./guard-work.ts";
import { destinationOf, type PageVisit } from "./page-visit.ts";

/** No form so far had these fields: lists the existing fields, and the likely typo. */
export function noSuchField(names: readonly string[], seen: readonly HtmlPage[], visit: PageVisit): PageTrouble {
  const controls = controlsOf(seen);
  const closed = names.flatMap((name) => {
    const obstacle = controls.filter((control) => control.name === name).map(obstacleOf)[0];
    return obstacle == null ? [] : [{ name, says: `the field ${shown(name)} ${obstacle}` }];
  });
  const missing = names.filter((name) => !closed.some((each) => each.name === name));
  const hasUnnamed = missing.length > 0 && openControls(seen).some(({ name }) => name === "");
  const { reason, hint } = noFieldNamed(missing, openFields(seen), visit.guards, hasUnnamed);
  const reasons = [...closed.map(({ says }) => says), ...(missing.length === 0 ? [] : [reason])];
  return pageTrouble(reasons.join("; "), hint);
}

/** The names of the fields that a person could fill in. */
export function openFields(seen: readonly HtmlPage[]): string[] {
  return [...new Set(openControls(seen).map(({ name }) => name))].filter((name) => name !== "");
}

function openControls(seen: readonly HtmlPage[]): FormControl[] {
  return controlsOf(seen).filter((control) => obstacleOf(control) === null);
}

/** A text field without a name that no script reads, so filling it in is useless; null: there is none. */
export function unnamedWarning({ hasScripts }: HtmlPage, { controls }: HtmlForm): string | null {
  if (hasScripts) return null;
  const unnamed = controls.some(
    (control) => control.kind === "text" && control.name === "" && obstacleOf(control) === null,
  );
  return unnamed ? `in the form ${UNNAMED}` : null;
}

const UNNAMED = "a field has no name, so browsers do not send it: give it one, an id is not enough";

/**
 * The pages of an app had other fields than these.
 * @param hasUnnamed whether one of them has no name
 */
export function noFieldNamed(
  names: readonly string[],
  fields: readonly string[],
  guards: readonly GuardOfLogin[],
  hasUnnamed = false,
): PageTrouble {
  const others = hasUnnamed && fields.length === 0 ? [] : [fieldsHint(fields)];
  const hint = [...others, ...(hasUnnamed ? [UNNAMED] : [])].join("; ");
  const nearest = names.map((name) => didYouMean(name, fields)).join("");
  return pageTrouble(
    `the app's form has no field ${names.map(shown).join(" or ")} for --fill.${nearest}`,
    withMisspelt(hint, names, guards),
  );
}

/** A list of the fields that can be filled in. */
export function fieldsHint(fields: readonly string[]): string {
  return fields.length === 0 ? "it has no fields to fill in" : `its fields: ${shownList(fields)}`;
}

/** The first form has none of these fields, and submitting it would be a decision. */
export function nothingToFill(names: readonly string[], seen: readonly HtmlPage[], visit: PageVisit): PageTrouble {
  const { reason, hint, failure } = noSuchField(names, seen, visit);
  const buttons = buttonsHint(controlsOf(seen).filter(isButton));
  const later = `if they are on a later page, name the button of this one with --press; ${buttons}`;
  return { reason, hint: `${hint}; ${later}`, failure };
}

/** No form so far had the button. */
export function noSuchButton(
  presses: readonly string[],
  seen: readonly HtmlPage[],
  { guards }: PageVisit,
): PageTrouble {
  const hint = withMisspelt(buttonsHint(controlsOf(seen).filter(isButton)), presses, guards);
  return pageTrouble(`no form of the app had the button ${presses.map(shown).join(" or ")}`, hint);
}

/** No form of the page has the buttons, and pressing another one would be a decision. */
export function otherButtons(page: HtmlPage, presses: readonly string[], { guards }: PageVisit): PageTrouble {
  const { reason, hint } = noButtonNamed(controlsOf([page]).filter(isButton), presses);
  return pageTrouble(reason, withMisspelt(hint ?? "", presses, guards));
}

function withMisspelt(hint: string, names: readonly string[], guards: readonly GuardOfLogin[]): string {
  const misspelt = misspeltGuardHint(names, guards);
  if (misspelt === null) return hint;
  return `${misspelt}${misspelt.endsWith("?") ? "" : ";"} ${hint}`;
}

function controlsOf(pages: readonly HtmlPage[]): FormControl[] {
  return pages.flatMap(({ forms }) => forms).flatMap(({ controls }) => [...controls]);
}

/** A browser would not submit the form. */
export function fieldsMissing(names: readonly string[]): PageTrouble {
  if (names.includes("")) return pageTrouble("the app's form cannot be submitted: a required field is empty", UNNAMED);
  return pageTrouble(
    `the app's form cannot be submitted without ${names.map(shown).join(", ")}`,
    `add ${names.map((name) => `--fill ${name}=VALUE`).join(" ")}`,
  );
}

/** A browser does not send such a form, and shows its user a message. */
export function unreadyHint(names: readonly string[]): string {
  const fills = names.map((name) => `--fill ${/^[\w.-]+$/.test(name) ? name : shown(name)}=VALUE`);
  return `its form cannot be submitted before ${names.map(shown).join(", ")} ${names.length === 1 ? "is" : "are"} filled in correctly: ${fills.join(" ")}`;
}

/** The form was submitted, and is shown again. */
export function sameForm(page: HtmlPage, form: HtmlForm, visit: PageVisit): PageTrouble {
  return pageTrouble("the app shows its form again after it was submitted", whySameForm(page, form, visit));
}

function whySameForm(page: HtmlPage, { method, action, controls }: HtmlForm, visit: PageVisit): string {
  if (method === "get" && action !== null && new URL(action).pathname === new URL(page.url).pathname)
    return 'the form has no method="post", so sending it only opens its page again';
  const says = whatItSays(page, visit);
  const empty = controls.filter((control) => control.kind === "text" && obstacleOf(control) === null);
  const left = empty.map(({ name }) => name).filter((name) => name !== "" && !visit.work.filled.has(name));
  if (left.length === 0) return `${says}; if it continues by a script, ${NEEDS_BROWSER}`;
  return `${says}; these fields were left as they were: ${left.map((name) => `--fill ${name}=VALUE`).join(" ")}`;
}

/**
 * There is no form that could be submitted.
 * @param isSent whether an earlier page had one
 */
export function nothingToDo(page: HtmlPage, visit: PageVisit, isSent: boolean): PageTrouble {
  if (page.hasScripts) return pageTrouble("the app's page has no form to submit: it needs JavaScript", NEEDS_BROWSER);
  const [next] = linksInApp(page, visit);
  if (next !== undefined) {
    return pageTrouble(
      `the app's page has no form to submit, but a link to ${addressText(new URL(next.href))}`,
      next.text === "" ? NEEDS_BROWSER : `press the link by its text: --press ${shown(next.text)}`,
    );
  }
  if (page.refresh !== null) {
    return pageTrouble(
      `the app's page has no form to submit, and only refreshes to ${addressText(new URL(page.refresh))}`,
      `${whatItSays(page, visit)}; to wait until it returns, walk the page with --browser`,
    );
  }
  const [button] = page.shownButtons;
  if (button !== undefined) {
    return pageTrouble(
      `the app's page has no form to submit: its button ${shown(button)} is outside any form`,
      `put it inside the form; or, if a script handles it, ${NEEDS_BROWSER}`,
    );
  }
  const [clickable] = page.clickables;
  if (clickable !== undefined) {
    return pageTrouble(
      `the app's page has no form to submit: ${shown(clickable)} works by a script`,
      `${NEEDS_BROWSER} --press ${shown(clickable)}`,
    );
  }
  const says = whatItSays(page, visit);
  return pageTrouble(
    "the app's page has no form to submit, and no way back",
    isSent
      ? `${says}; answer the form with ${wayBack(visit)}`
      : `${says}; give it a form that is answered with ${wayBack(visit)}`,
  );
}

/** How an app answers the form of a redirect guard's page (interface 4.2). */
export function wayBack({ login }: Pick<PageVisit, "login">): string {
  const callback = login.platform + guardCallbackPath(login.domain);
  return `302 to ${callback}, with the state and a code or an error`;
}

/** The links to other pages of the app. A link within the page may be for a script. */
export function linksInApp({ url, links }: HtmlPage, { login }: Pick<PageVisit, "login">): Link[] {
  const isHere = (href: string) => href.includes("#") && href.replace(/#.*/, "") === url.replace(/#.*/, "");
  return links.filter(({ href }) => destinationOf(new URL(href), login).kind === "app" && !isHere(href));
}

function whatItSays({ text }: HtmlPage, visit: PageVisit): string {
  return text === "" ? "the page is empty" : `the page says: ${visit.quote(text)}`;
}
