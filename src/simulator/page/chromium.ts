import type { Browser, LaunchOptions } from "playwright-core";
import type { Explanation } from "../../checks/explain-outcome.ts";
import { clip, harmlessLine } from "../../protocol/harmless.ts";
import { findChromium, noChromium } from "./find-chromium.ts";
import { loadChromium } from "./playwright.ts";

/** A Chromium for one visit; `release` when the visit is over. */
type OpenedChromium =
  | { readonly ok: true; readonly browser: Browser; release(): Promise<void> }
  | ({ readonly ok: false } & Explanation);

/** The headless Chromium that the visits of one simulator share. It runs while there is any visit, and no longer. */
export interface Chromium {
  /** @param executable path of the program; undefined: one that is installed */
  open(executable: string | undefined): Promise<OpenedChromium>;
}

interface Running {
  readonly started: Promise<Started>;
  visits: number;
}

type Started = { readonly ok: true; readonly browser: Browser } | ({ readonly ok: false } & Explanation);

const START_TIMEOUT_MS = 30_000;

/** Starts nothing yet. */
export function createChromium(): Chromium {
  const running = new Map<string, Running>();
  const forget = (key: string, entry: Running) => {
    if (running.get(key) === entry) running.delete(key);
  };
  const begin = (key: string, executable: string | undefined): Running => {
    const entry: Running = { started: start(executable), visits: 0 };
    running.set(key, entry);
    // One that did not start, or has ended, is of no use to the next visit.
    void entry.started.then((started) => {
      if (started.ok) started.browser.once("disconnected", () => forget(key, entry));
      else forget(key, entry);
    });
    return entry;
  };
  return {
    async open(executable) {
      const key = executable ?? "";
      const entry = running.get(key) ?? begin(key, executable);
      entry.visits += 1;
      const started = await entry.started;
      if (!started.ok) return started;
      const { browser } = started;
      const release = async () => {
        entry.visits -= 1;
        if (entry.visits > 0) return;
        forget(key, entry);
        await browser.close();
      };
      return { ok: true, browser, release };
    },
  };
}

async function start(executable: string | undefined): Promise<Started> {
  const found = await findChromium(executable);
  if (!found.ok) return found;
  const options: LaunchOptions = {
    // Without its sandbox only where it cannot have one.
    chromiumSandbox: process.getuid?.() !== 0,
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    timeout: START_TIMEOUT_MS,
    ...(found.path === null ? {} : { executablePath: found.path }),
  };
  try {
    return { ok: true, browser: await loadChromium().launch(options) };
  } catch (error) {
    return { ok: false, ...explainStart((error as Error).message, found.path) };
  }
}

function explainStart(message: string, path: string | null): Explanation {
  if (path === null && message.includes("Executable doesn't exist")) return noChromium;
  const [first = ""] = message.split("\n");
  const said = /\[err\] (.*)/.exec(message)?.[1] ?? first.replace(/^[\w.]+: /, "");
  return {
    reason: `${path ?? "Chromium"} did not start: ${clip(harmlessLine(said), 200)}`,
    hint: /sandboxing failed|No usable sandbox/i.test(message)
      ? "its sandbox needs user namespaces, which this system does not allow; in a container it runs without as root"
      : "does it start by itself, with --headless? CHROME_PATH names another one",
  };
}
