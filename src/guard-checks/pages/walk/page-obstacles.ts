import { keptCookies } from "../../../browser/cookies.ts";
import { obstacleOf } from "../../../browser/fill-form.ts";
import type { FormControl } from "../../../browser/html-form.ts";
import type { Exchange } from "../../../journal/exchange.ts";
import { saysNo } from "../form/buttons.ts";
import { isMissing, pageOf, SERVE_PAGE } from "./answer.ts";
import type { PageWalk, PageWay } from "./walk.ts";

/** What keeps a person who can only press buttons from passing a page. */
export interface PageObstacle {
  /** As a phrase. */
  readonly says: string;
  /** How to fix it; default: as the check says. */
  readonly fix?: string;
  /**
   * `proven`: nobody can pass. `likely`: the app refused a form that may belong to no login. `unknown`: no button led
   * anywhere; the person may have to do something elsewhere.
   */
  readonly certainty: "proven" | "likely" | "unknown";
}

/** Maximum number of buttons that are tried. */
export const MOST_BUTTONS = 6;

/** A way, and where it led. */
export interface TriedWay {
  readonly way: PageWay;
  readonly walk: PageWalk;
}

/** A page on which no button led anywhere; null: one did, or there is more to do than press buttons. */
export function deadEndOf(walks: readonly TriedWay[]): PageObstacle | null {
  const [usual, ...byButton] = walks;
  const first = usual?.walk;
  if (first === undefined || first.buttons.length > MOST_BUTTONS) return null;
  // Each button had a walk of its own, so the first only counts where there is none.
  const tried = byButton.length === 0 ? [usual] : byButton;
  const yes = tried.filter((each) => each !== undefined && !saysNo([each.way.answers.press ?? ""].flat().join()));
  const isDead = ({ walk }: TriedWay) => walk.isDeadEnd && walk.buttons.every((text) => first.buttons.includes(text));
  const [one] = yes;
  if (one === undefined || !yes.every((each) => each !== undefined && isDead(each))) return null;
  return {
    says: `none of its buttons leads back to the platform: ${troubleText(one.walk.trouble)}`,
    certainty: "unknown",
  };
}

/** A page that the app does not have, or fails to show; null: the app refused it, or showed it. */
export function pageFailureOf({ exchanges, trouble }: PageWalk): PageObstacle | null {
  const last = exchanges.at(-1);
  const isOpening = exchanges.every(({ request }) => request.method === "GET");
  if (last === undefined || trouble === null || !isOpening || !isMissing(last)) return null;
  return { says: `its page was not shown: ${troubleText(trouble)}`, fix: SERVE_PAGE, certainty: "proven" };
}

/** How the app refused the form of its page although there is nothing to fill in; null: it did not, or there is. */
export function formRefusalOf({ exchanges, trouble }: PageWalk): PageObstacle | null {
  const before = exchanges.slice(0, -1);
  const sent = exchanges.at(-1);
  const status = sent?.response?.status ?? 0;
  const page = before.map(pageOf).findLast((each) => each !== null && each.forms.length > 0);
  if (page == null || sent?.request.method !== "POST" || status < 400 || trouble === null) return null;
  const controls = page.forms.flatMap((form) => form.controls);
  if (controls.some((control) => obstacleOf(control) === null)) return null;
  const isLost = keptCookies(before).length === 0 && !bringsTicket(sent, before, controls);
  return {
    says: `its form, which has nothing to fill in, was refused: ${troubleText(trouble)}`,
    certainty: isLost || status >= 500 ? "proven" : "likely",
  };
}

/** The trouble of a walk and how to end it, as part of a sentence; "": there was none. */
export function troubleText(trouble: PageWalk["trouble"]): string {
  return [trouble?.reason.replace(/\.$/, ""), trouble?.hint].filter((part) => part != null).join("; ");
}

/** Whether a form may say which login it belongs to: by a hidden field, or by an id in its URL. */
function bringsTicket(sent: Exchange, [opened]: readonly Exchange[], controls: readonly FormControl[]): boolean {
  const { pathname, searchParams } = new URL(sent.request.url);
  const own = opened === undefined ? [] : new URL(opened.request.url).pathname.split("/");
  return (
    controls.some((control) => control.kind === "hidden" && isFilled(control.value)) ||
    [...searchParams.values()].some(isFilled) ||
    pathname.split("/").some((part) => /\d/.test(part) && !own.includes(part))
  );
}

/** Whether a field or parameter has a value. */
export function isFilled(value: string): boolean {
  return value !== "";
}
