import type { Chromium } from "../../browser/chromium.ts";
import { type PageWork, shownList } from "../../browser/fill-form.ts";
import type { SimulatorContext } from "../../platform/context.ts";
import type { Interaction } from "../login/interaction.ts";
import type { LoginSession } from "../login/login-face.ts";
import type { PageOption } from "../login/login-options.ts";
import type { Logins } from "../login/logins.ts";
import { buttonsGiven, doneAt, nameGiven, nothingDone, workAt } from "./guard-work.ts";
import { beginVisit, type PageVisit } from "./page-visit.ts";

/** What visits to the pages of guards need. */
export interface VisitContext extends SimulatorContext {
  readonly chromium: Chromium;
}

/** Does what the user is asked to do on the guards' pages of one login. */
export interface PageVisitor {
  visit(login: LoginSession, interaction: Interaction): void | Promise<void>;
  /**
   * The named fields and buttons that no page had, in words, with the fields that exist; null: there are none, or no
   * page had a button to press.
   */
  unused(): string | null;
}

/**
 * Creates the visitor of the guards' pages of one login, as the option says; null: none.
 * @throws UsageError for a browser if Playwright is not installed
 */
export function pageVisitor(context: VisitContext, logins: Logins, page: PageOption | null): PageVisitor {
  const unused = () => null;
  if (page === null) return { visit: leaveAtOnce, unused };
  if (page === "wait") return { visit() {}, unused };
  if ("code" in page || "error" in page) return { visit: (login) => login.comeBack(page), unused };
  if ("browser" in page) context.chromium.requirePlaywright();
  const { fill = {}, press = [] } = "browser" in page ? page.browser : page;
  const work: PageWork = { fill, press: buttonsGiven(press), ...nothingDone() };
  const done = new Set<string>();
  const seen = new Set<string>();
  let keys: ReadonlySet<string> = new Set();
  let last: { readonly key: string; readonly seen: ReadonlySet<string> } | null = null;
  const noteLast = () => {
    for (const given of last === null ? [] : doneAt(work, last.key, keys)) done.add(given);
    for (const name of last?.seen ?? []) seen.add(name);
  };
  return {
    visit(login, interaction) {
      noteLast();
      const { key } = interaction.guard;
      keys = new Set(login.view().stages.flatMap(({ module }) => module ?? []));
      const own = workAt(work, key, keys);
      last = { key, seen: own.seen };
      const visit = beginVisit(context, login, interaction, own);
      const walk = "browser" in page ? walkByBrowser(context, login, visit, page) : walkByForms(context, logins, visit);
      return context.underWay.add(walk);
    },
    unused() {
      noteLast();
      if (work.presses.count === 0) return null;
      const fields = Object.keys(fill).filter((name) => !done.has(name));
      const buttons = work.press.filter((name) => !done.has(name));
      const missing = [
        ...fields.map((name) => `the field ${nameGiven(name, ":", keys)}`),
        ...buttons.map((name) => `the button ${nameGiven(name, "=", keys)}`),
      ];
      const there = seen.size === 0 ? "there were no fields to fill in" : `the fields: ${shownList([...seen])}`;
      return missing.length === 0 ? null : missing.join(" or ") + (fields.length === 0 ? "" : `; ${there}`);
    },
  };
}

async function walkByBrowser(
  context: VisitContext,
  login: LoginSession,
  visit: PageVisit,
  { browser: { executable } }: Extract<PageOption, { browser: unknown }>,
): Promise<void> {
  const { walkInBrowser } = await import("./visit-with-browser.ts");
  await walkInBrowser(context, login, visit, executable);
}

async function walkByForms(context: SimulatorContext, logins: Logins, visit: PageVisit): Promise<void> {
  const { key, type } = visit.interaction.guard;
  if (type === "frame") {
    return visit.leave({
      reason: `${key} is a frame guard: its page reports by a script, which --press and --fill do not run`,
      hint: "add --browser, or skip its page with --code CODE or --error TEXT",
      failure: null,
    });
  }
  const { walkForms } = await import("./walk-forms.ts");
  await walkForms(context, logins, visit);
}

function leaveAtOnce(login: LoginSession, { guard: { key, type } }: Interaction): void {
  login.leave({
    reason: `${key} is a ${type} guard and asks for the user, but nobody is there`,
    hint:
      type === "frame"
        ? "walk its page with --browser --press BUTTON, such as --press accept; skip it with --code CODE or --error TEXT; or wait for a person with --wait-for-user"
        : "walk its page with --press BUTTON, such as --press accept, or --fill name=value, or --browser; skip it with --code CODE or --error TEXT; or wait for a person with --wait-for-user",
    failure: null,
  });
}
