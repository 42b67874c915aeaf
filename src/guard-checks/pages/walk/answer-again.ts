import type { Frame, Page } from "playwright-core";
import { type Fill, type PageTrouble, pageTrouble } from "../../../browser/fill-form.ts";
import { allButtons, BUTTONS, buttonsByName } from "../../../browser/page-buttons.ts";
import { type BrowserWork, PRESSING, present, takeSteps } from "../../../browser/page-steps.ts";
import { nothingDone } from "../../../guard/visit/guard-work.ts";
import { saysNo } from "../form/buttons.ts";

/** What a person does on a page that asks again after a wrong answer. */
export interface RightAnswers {
  readonly fill: Fill;
  readonly press: readonly string[];
  /** Whether a field is for a password: a page without one does not ask again. */
  readonly isSecret: (name: string) => boolean;
  /** Milliseconds before the next try, which an app may refuse if it comes too soon. */
  readonly pauseMs: number;
  /** Milliseconds that the walk may take in addition, because a page may keep its button disabled for a while. */
  readonly patienceMs: number;
}

/**
 * What a page did after a wrong answer: it did not ask again, or it did, but its button could not be pressed, or it took
 * the right answer.
 */
export type AskedAgain = "no" | "stuck" | "answered";

/** How long a page may take to send what was filled in, and to show the answer. */
const SENDING_MS = 500;
/** How long its app may take to answer. */
const ANSWERING_MS = 4000;

/** What lies over a page until a person closes it. */
const DIALOGS = ":is(dialog[open], [role=dialog], [role=alertdialog], [aria-modal=true])";

/** Fields that a person sees: some libraries keep hidden ones in every dialog. */
const OPEN_FIELDS = ":is(input:not([type=button], [type=submit], [type=image]), select, textarea):visible";

/** Answers a page rightly if it asks again after a wrong answer. */
export interface AnsweringAgain {
  /** @returns the trouble; null: everything was done again */
  answer(work: Omit<BrowserWork, "work">): Promise<PageTrouble | null>;
  /** How far that came. */
  asked(): AskedAgain;
}

/** Hears the page's calls from here on, to answer it again once the app has refused a wrong answer. */
export function answeringAgain(page: Page, { fill, press, pauseMs, isSecret }: RightAnswers): AnsweringAgain {
  const calls = hearCalls(page);
  let isStuck = () => false;
  let isAnswered = false;
  return {
    asked: () => (isAnswered ? "answered" : isStuck() ? "stuck" : "no"),
    answer: async ({ frame, pause, doing, ...rest }) => {
      await pause(SENDING_MS);
      await Promise.race([calls.allAnswered(), pause(ANSWERING_MS)]);
      await pause(SENDING_MS + pauseMs);
      await closeNotice(frame);
      const fields = await present(frame, Object.keys(fill));
      if (!fields.some(isSecret)) return pageTrouble("the page does not ask again", null);
      isStuck = () => doing.text === PRESSING;
      const work = {
        fill: Object.fromEntries(fields.map((name) => [name, fill[name] ?? []])),
        press: await shownButtons(frame, press),
        ...nothingDone(),
        isGuessing: true,
      };
      const trouble = await takeSteps({ ...rest, frame, pause, doing, work });
      isAnswered = trouble === null;
      return trouble;
    },
  };
}

/** Counts the calls of a page that are still without an answer. */
function hearCalls(page: Page) {
  let open = 0;
  let heard = () => {};
  const end = () => {
    open -= 1;
    if (open <= 0) heard();
  };
  page.on("request", () => {
    open += 1;
  });
  // A request finishes once its answer is read, which a page that only checks the status never does.
  page.on("response", end);
  page.on("requestfailed", end);
  const allAnswered = () =>
    new Promise<void>((resolve) => {
      heard = resolve;
      if (open <= 0) resolve();
    });
  return { allAnswered };
}

/** Closes a dialog that only says something: it has nothing to fill in, and a button other than one that says no. */
async function closeNotice(frame: Frame): Promise<void> {
  const notice = frame.locator(DIALOGS).filter({ visible: true, hasNot: frame.locator(OPEN_FIELDS) });
  const buttons = notice.locator(BUTTONS).filter({ visible: true });
  const texts = await buttons.allInnerTexts();
  const index = texts.findLastIndex((text) => !saysNo(text));
  // It may have closed itself meanwhile.
  if (index >= 0)
    await buttons
      .nth(index)
      .click({ timeout: SENDING_MS })
      .catch(() => {});
}

/** Those of the buttons that the page shows now; none: another one takes their place; all: they may appear again. */
async function shownButtons(frame: Frame, names: readonly string[]): Promise<readonly string[]> {
  const counts = await Promise.all(
    names.map((name) => Promise.all(buttonsByName(frame, name).map((button) => button.count()))),
  );
  const shown = names.filter((_, index) => counts[index]?.some((count) => count > 0));
  if (shown.length > 0) return shown;
  const others = await allButtons(frame).allInnerTexts();
  return others.length === 1 && !others.some(saysNo) ? [] : names;
}
