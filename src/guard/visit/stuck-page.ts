import type { Page } from "playwright-core";
import { type PageTrouble, shown, shownList } from "../../browser/fill-form.ts";
import {
  allButtons,
  buttonsText,
  inertButton,
  linksText,
  NO_BUTTONS,
  nearestButton,
  plainTextHint,
  pressableLinks,
  pressables,
  separateButtons,
} from "../../browser/page-buttons.ts";
import {
  ANY_BUTTON,
  BACK,
  type Doing,
  fieldNames,
  PRESSING,
  unreadyFields,
  WAITING_FOR,
} from "../../browser/page-steps.ts";
import { didYouMean } from "../../protocol/nearest.ts";
import type { LoginSession } from "../login/login-face.ts";
import { misspeltGuardHint } from "./guard-work.ts";
import type { PageVisit } from "./page-visit.ts";
import { textOf } from "./refused-page.ts";
import { NOT_CALLED, repeatsPolicy, scriptErrorHint } from "./silent-frame.ts";
import { fieldsHint, unreadyHint, wayBack } from "./walk-troubles.ts";
import type { Watch } from "./watch-page.ts";

/** Asks a page something; the fallback if it is too busy to answer. */
export type Ask = <T, F>(question: Promise<T>, fallback: F) => Promise<T | F>;

/** What the platform's page found out about its frame, and the last error of a script; else the last note. */
export function hintsOf(
  login: LoginSession,
  { notes, lastError: error, failedCall }: Watch,
  { isLooking, text }: Doing,
): readonly string[] {
  // The platform's page reports the same for a call that host.js refused.
  if (error?.includes("AP.verifyAuth()")) return [error];
  const found = login.view().interaction?.troubles.find(({ reason }) => {
    // A page makes no calls before somebody has used it.
    return !notes.includes(reason) && !((isLooking || text === PRESSING) && reason === NOT_CALLED);
  });
  const use = error === null ? null : scriptErrorHint(error, found?.reason);
  if (error !== null && use !== null) return [error, use];
  const own = repeatsPolicy(error, found?.reason) ? null : error;
  // A script that failed did not get as far as its call.
  const isCut = own !== null && found?.reason === NOT_CALLED;
  const more = failedCall === null ? [found?.reason, isCut ? null : found?.hint] : [];
  const hints = [failedCall, own, ...more].filter((hint) => typeof hint === "string");
  return hints.length === 0 ? notes.slice(-1) : hints;
}

/** A visit that goes no further. */
interface StuckVisit {
  readonly page: Page;
  readonly visit: PageVisit;
  readonly doing: Doing;
  /** Whether the time is over; else nothing more will come. */
  readonly isOver: boolean;
  readonly hints: readonly string[];
  readonly hasSentForm: boolean;
}

/** What to try if the time was too short for the machine. */
export const BUSY_MACHINE = "is this machine busy? Give it longer with --interaction-timeout";

/** What a person would see on the page now, and do about it. */
export async function stuck(at: StuckVisit, ask: Ask): Promise<PageTrouble> {
  const { doing, isOver, hints } = at;
  // The time may be over before the visit has noticed what it looks for.
  const isThere = isOver && doing.isLooking && (await ask(doing.isThere(), false));
  if (!isThere) return troubleAt(at, ask);
  return troubleAt({ ...at, doing: { ...doing, isLooking: false }, hints: [BUSY_MACHINE, ...hints] }, ask);
}

async function troubleAt(at: StuckVisit, ask: Ask): Promise<PageTrouble> {
  const { page, visit, doing, isOver, hints, hasSentForm } = at;
  const { text, isLooking, fields } = doing;
  const sought = isLooking ? doing.buttons : [];
  const isFrame = visit.interaction.guard.type === "frame";
  const frame = (isFrame ? page.mainFrame().childFrames()[0] : undefined) ?? page.mainFrame();
  const { press, fill, pressed } = visit.work;
  const links = pressableLinks(frame);
  const [title, content, buttons, names, unready, plain, nearest, linked, inert] = await Promise.all([
    // While a page is loading, Playwright's own title() gives its full address, including the token.
    ask(frame.evaluate<string>("document.title"), ""),
    ask(
      textOf(frame, "body", 0).then((shows) => separateButtons(shows, allButtons(frame).or(frame.locator("label")))),
      "",
    ),
    ask(buttonsText(pressables(frame)), null),
    ask(fieldNames(frame), []),
    ask(text === BACK ? unreadyFields(frame) : Promise.resolve([]), []),
    ask(plainTextHint(frame, sought), null),
    ask(sought.length > 0 ? nearestButton(allButtons(frame).or(links), sought) : Promise.resolve(""), ""),
    ask(sought.length > 0 || text === BACK ? linksText(links) : Promise.resolve(null), null),
    ask(text === BACK ? inertButton(frame, pressed) : Promise.resolve(null), null),
  ]);
  const seen = seenText(visit.quote(content), buttons, names);
  const name = title === "" ? "" : ` ${shown(visit.quote(title))}`;
  const isMissing = isLooking && buttons !== null;
  const misspelt = isMissing ? misspeltGuardHint([...press, ...Object.keys(fill)], visit.guards) : null;
  const open = text === PRESSING ? names.filter((each) => !visit.work.filled.has(each)) : [];
  const isUnnamed = text === ANY_BUTTON && buttons !== null && buttons !== NO_BUTTONS;
  const others = [...hints, ...unready, ...open];
  const isAfterPress = text === BACK && pressed.size > 0 && others.length === 0 && inert === null;
  const offered = buttons === NO_BUTTONS ? (linked ?? buttons) : buttons;
  const isEnd = isAfterPress && hasSentForm && !isFrame && offered === NO_BUTTONS;
  const nearFields = isLooking ? fields.map((field) => didYouMean(field, names).trim()) : [];
  const meant = [...nearFields, nearest].filter((part) => part !== "");
  const isNews = (list: string) => !repeatsList(meant, list);
  const said = [
    ...(misspelt === null ? [] : [misspelt]),
    ...(isMissing && fields.length > 0 ? [fieldsHint(names)].filter(isNews) : []),
    ...(plain === null ? [] : [plain]),
    ...(open.length === 0 ? [] : [`is it disabled until one of these fields is filled in: ${shownList(open)}?`]),
    ...(unready.length === 0 ? [] : [unreadyHint(unready)]),
    ...(isUnnamed ? ["name the button with --press"] : []),
    ...inertHints(inert),
    ...(isEnd ? [`answer the form with ${wayBack(visit)}`] : []),
    ...(isAfterPress && !isEnd ? pressedHints(pressed, offered) : []),
    ...(offered !== null &&
    !isEnd &&
    isNews(offered) &&
    (isMissing ? sought.length > 0 : isUnnamed || others.length === 0)
      ? [offered]
      : []),
    ...(isMissing && offered === NO_BUTTONS && plain === null ? ["its user needs a button or a link to go on"] : []),
    ...hints,
  ].join("; ");
  return {
    reason: isOver
      ? `the app's page did not bring the user back in time: still ${text}; the page${name} ${seen}`
      : `the app's page${name} does not have ${text.replace(WAITING_FOR, "")}; it ${seen}`,
    hint: [said, ...meant].filter((part) => part !== "").join(". ") || null,
    failure: isOver ? "timed-out" : "other",
  };
}

/** @param button a pressed button that does nothing; null: none */
function inertHints(button: string | null): string[] {
  if (button === null) return [];
  return [`${shown(button)} was pressed, but does not submit its form, because of its type: leave that out`];
}

/** @param offered what else can be pressed; null: the page answers no questions */
function pressedHints(pressed: ReadonlySet<string>, offered: string | null): string[] {
  const more = offered === NO_BUTTONS ? [] : ["to go on from this page, add another --press"];
  return [`pressed: ${shownList([...pressed])}`, ...more];
}

/** @param buttons null: the page answers no questions */
function seenText(content: string, buttons: string | null, fields: readonly string[]): string {
  if (buttons === null) return "does not answer";
  if (content !== "") return `shows: ${content}`;
  return buttons === NO_BUTTONS && fields.length === 0 ? "is empty" : "has no text";
}

/** Whether a list of one name has only what a suggestion says, too. */
function repeatsList(suggestions: readonly string[], list: string): boolean {
  const [, only] = /: ("[^"]*")$/.exec(list) ?? [];
  return only !== undefined && suggestions.some((suggestion) => suggestion.endsWith(`${only}?`));
}
