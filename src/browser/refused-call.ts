import type { Frame, Page, Request, Route } from "playwright-core";
import type { Clock } from "../app-client/ports.ts";

/** The call of a page that its app should refuse, because its token is corrupted on the way. */
export interface CallToRefuse {
  readonly method: string;
  readonly path: string;
  readonly token: string;
}

/** What a page did after its app refused its call. */
export interface RefusedCall {
  /** How often it made the call. */
  readonly tries: number;
  /** Whether its visible content changed afterwards, or it opened a dialog. */
  readonly isShown: boolean;
}

/** How long a page may take to make its call, and then to show its result. */
const CALL_MS = 1500;
const SHOW_MS = 5000;
const LOOK_EVERY_MS = 100;

/** Makes the app refuse the call of a page, and observes what the page does then. */
export interface Refusal {
  /** Remembers what the page shows before anything is pressed. */
  look(frame: Frame): Promise<void>;
  /** Whether the page showed something after the call; resolves as soon as it did. */
  isShown(frame: Frame): Promise<boolean>;
  /** Resolves when the call was refused. */
  readonly refused: Promise<void>;
  /** How often the call was refused so far. */
  tries(): number;
}

/** Corrupts the token of the call from here on. */
export async function refuseCall(page: Page, { method, path, token }: CallToRefuse, clock: Clock): Promise<Refusal> {
  const before = new Set<string>();
  const calls = new Set<Request>();
  let answered = 0;
  let end = () => {};
  const refused = new Promise<void>((resolve) => {
    end = resolve;
  });
  // A page that navigates, opens another one or a dialog shows something, whatever it is.
  let hasActed = false;
  const act = () => {
    hasActed ||= calls.size > 0;
  };
  page.on("framenavigated", act);
  page.on("popup", act);
  // A request finishes once its answer is read, which a page that only checks the status never does.
  page.on("response", (response) => {
    if (!calls.has(response.request())) return;
    answered += 1;
    end();
  });
  page.on("dialog", async (dialog) => {
    act();
    await dialog.dismiss();
  });
  const spoil = (text: string) => text.replaceAll(token, spoiled(token));
  const passOn = async (route: Route, request: Request): Promise<void> => {
    const [url, headers, body] = [request.url(), await request.allHeaders(), request.postData() ?? ""];
    const isCall = request.method() === method && ["xhr", "fetch"].includes(request.resourceType());
    const holdsToken = `${url}${JSON.stringify(headers)}${body}`.includes(token);
    if (!isCall || !holdsToken) return route.continue();
    calls.add(request);
    before.add(await seenIn(request.frame()));
    const sent = Object.entries(headers).map(([name, value]) => [name, spoil(value)]);
    const postData = body === "" ? {} : { postData: spoil(body) };
    return route.continue({ url: spoil(url), headers: Object.fromEntries(sent), ...postData });
  };
  // The page may be closed meanwhile.
  const pass = (route: Route, request: Request) => passOn(route, request).catch(() => {});
  await page.route(({ pathname }) => pathname === path, pass);
  const isWithin = async (milliseconds: number, isMet: () => Promise<boolean>): Promise<boolean> => {
    const end = clock.monotonic() + milliseconds;
    while (clock.monotonic() < end) {
      if (await isMet()) return true;
      await clock.pause(LOOK_EVERY_MS, undefined);
    }
    return false;
  };
  return {
    look: async (frame) => void before.add(await seenIn(frame)),
    isShown: async (frame) => {
      const isChanged = async () => answered > 0 && (hasActed || !before.has(await seenIn(frame)));
      return (await isWithin(CALL_MS, async () => calls.size > 0)) && isWithin(SHOW_MS, isChanged);
    },
    refused,
    tries: () => answered,
  };
}

/** The token with its signature reversed. */
function spoiled(token: string): string {
  const end = token.lastIndexOf(".") + 1;
  return token.slice(0, end) + [...token.slice(end)].reverse().join("");
}

/** What a person sees in a frame; styles and disabled states do not count. */
function seenIn(frame: Frame): Promise<string> {
  return frame.evaluate(outline).catch(() => "");
}

/** Runs in the frame. */
function outline(): string {
  const seen: string[] = [];
  const visit = (root: Root): void => {
    for (const element of root.querySelectorAll("*")) {
      const texts = [...element.childNodes].map(({ data = "" }) => data.trim());
      const isSeen = element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
      if (isSeen) seen.push([element.localName, ...texts].join(" "));
      if (element.shadowRoot !== null) visit(element.shadowRoot);
    }
  };
  visit((globalThis as unknown as { readonly document: Root }).document);
  return seen.join("\n");
}

/** The members of a document, or of a shadow root, that are read in the frame. */
interface Root {
  querySelectorAll(selector: string): Iterable<{
    readonly localName: string;
    readonly childNodes: Iterable<{ readonly data?: string }>;
    readonly shadowRoot: Root | null;
    checkVisibility(options: Readonly<Record<string, boolean>>): boolean;
  }>;
}
