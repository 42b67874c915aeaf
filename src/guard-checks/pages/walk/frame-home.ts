import type { Frame, Page } from "playwright-core";
import { defer, type WayBack, walkOutcome } from "./hear-return.ts";

/** Where the platform shows the frame; no page of the platform has this address. */
export const FRAME_HOME = "/app-sim-verify-frame";

/**
 * Resolves with what the page in the frame reports by host.js, read as the platform's page reads it.
 * @param posted gets what the page sends in messages of its own
 */
export async function hearReports(
  page: Page,
  platform: string,
  posted: string[],
): Promise<{ readonly back: Promise<WayBack> }> {
  const { promise, resolve } = defer<WayBack>();
  await page.exposeFunction("appSimReport", (code: unknown, error: unknown) =>
    resolve({ outcome: walkOutcome(code, error), callback: null, misuse: null }),
  );
  await page.exposeFunction("appSimMisuse", (problem: string) =>
    resolve({ outcome: null, callback: null, misuse: problem }),
  );
  await page.exposeFunction("appSimPosted", (message: string) => void posted.push(message));
  // Chromium treats an intercepted page as one from the Internet, which may not show pages of this machine.
  const ofThisMachine = page.context().grantPermissions(["local-network-access"], { origin: platform });
  // An older Chromium neither knows nor needs this permission.
  await ofThisMachine.catch(() => undefined);
  const home = { contentType: "text/html", body: "<!doctype html><title>Verification</title><body></body>" };
  await page.route(`${platform}${FRAME_HOME}`, (route) => route.fulfill(home));
  return { back: promise };
}

/** Shows an address in a frame of the page that is open. */
export async function showInFrame(page: Page, address: string): Promise<Frame> {
  await page.evaluate(showFrame, address);
  return onlyFrame(page);
}

/** Runs in the page. */
function showFrame(address: string): void {
  const { document, addEventListener, frames, appSimReport, appSimMisuse, appSimPosted } =
    globalThis as unknown as PageGlobals;
  addEventListener("message", ({ source, data }) => {
    if (source !== frames[0]) return;
    if (data?.type === "app-sim:verify-auth") appSimReport(data.code, data.error);
    else if (data?.type === "app-sim:misuse") appSimMisuse(String(data.problem));
    else appSimPosted(JSON.stringify(data) ?? "");
  });
  const frame = document.createElement("iframe");
  frame.setAttribute("src", address);
  frame.setAttribute("style", "width: 800px; height: 600px");
  document.body.replaceChildren(frame);
}

/** What {@link showFrame} finds in the page. */
interface PageGlobals {
  readonly document: {
    readonly body: { replaceChildren(element: unknown): void };
    createElement(name: string): { setAttribute(name: string, value: string): void };
  };
  readonly frames: readonly unknown[];
  addEventListener(
    type: "message",
    listener: (event: { readonly source: unknown; readonly data: Record<string, unknown> | null }) => void,
  ): void;
  appSimReport(code: unknown, error: unknown): void;
  appSimMisuse(problem: string): void;
  appSimPosted(message: string): void;
}

async function onlyFrame(page: Page): Promise<Frame> {
  const element = await page.locator("iframe").first().elementHandle();
  const frame = await element?.contentFrame();
  if (frame == null) throw new Error("the page has no frame");
  return frame;
}
