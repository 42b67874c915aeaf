import type { BrowserContext, Frame, Page } from "playwright-core";
import { areForAnyWindow, MESSAGES } from "../frame/open-messages.ts";
import { everythingIn } from "./answer.ts";
import type { WalkWithToken } from "./replay.ts";

const STORED = "JSON.stringify({ ...localStorage })";

/** What a walk leaves behind in a browser. */
interface LeftBehind {
  /** What the scripts of the app can read, by place. */
  readonly readable: Readonly<Record<string, string>>;
  /** Whether a later visit in any tab could find something: a cookie, or something in localStorage. */
  readonly isAny: boolean;
}

export const NOTHING_LEFT: LeftBehind = { readable: {}, isAny: false };

/**
 * What is in a browser after a walk.
 * @param page the page that was walked: a frame of it may have a storage that belongs to this page alone
 */
export async function leftBehind(browserContext: BrowserContext, page: Page): Promise<LeftBehind> {
  const inFrames = await Promise.all(page.frames().map((frame) => readIn(frame, STORED)));
  const { origins, cookies } = await browserContext.storageState();
  const stored = origins.flatMap(({ localStorage }) => localStorage.map(({ value }) => value));
  const open = cookies.filter(({ httpOnly }) => !httpOnly).map(({ value }) => value);
  // Unlike a storage, it stays when the window shows another site.
  const names = await Promise.all(page.frames().map((frame) => readIn(frame, "self.name")));
  const readable = {
    localStorage: [...inFrames, ...stored].join("\n"),
    "a cookie that scripts can read": open.join("\n"),
    "window.name": names.join("\n"),
  };
  const isAny = cookies.length + stored.length > 0 || inFrames.some((text) => text !== "" && text !== "{}");
  return { readable, isAny };
}

/** What an expression is in a frame; empty in one that is not allowed to have it. */
function readIn(frame: Frame, expression: string): Promise<string> {
  return frame.evaluate(expression).then(String, () => "");
}

/** Whether a later visit in the same tab may find anything of a walk. */
export function mayKeepData({ keepsData, exchanges }: Pick<WalkWithToken, "keepsData" | "exchanges">): boolean {
  // The storage of a tab cannot be read any more once the tab shows another site.
  return keepsData || exchanges.some((exchange) => everythingIn(exchange).includes("sessionStorage"));
}

/** Where the token and the code are after a walk, such as `its token in localStorage`. */
export function leftBy({ token, outcome, left, exchanges }: WalkWithToken): string[] {
  const code = outcome !== null && "code" in outcome ? outcome.code : "";
  const wanted = Object.entries({ "its token": token, "its code": code }).filter(([, text]) => text !== "");
  // A message for the platform alone reaches nobody else. Its receiver can be read only in the script that sends it.
  const places = Object.entries(left).filter(([place]) => place !== MESSAGES || areForAnyWindow(exchanges));
  return places.flatMap(([place, text]) =>
    wanted.flatMap(([name, secret]) => (text.includes(secret) ? [`${name} in ${place}`] : [])),
  );
}

/** A text of the console without the addresses in the stacks of errors: that of the page holds its token. */
export function withoutStackPlaces(text: string): string {
  return text.replaceAll(/https?:\/\/\S+:\d+:\d+/g, "");
}
