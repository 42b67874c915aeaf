import { createHash, X509Certificate } from "node:crypto";
import { stat } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import type { Browser, BrowserType, LaunchOptions, Selectors } from "playwright-core";
import type { Explanation } from "../app-client/explain-outcome.ts";
import type { ServerTrust } from "../app-client/ports.ts";
import { clip, harmlessLine } from "../protocol/harmless.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { registerClickables } from "./clickable.ts";

/** A Chromium for one visit; call `release` when the visit is over. */
type OpenedChromium =
  | { readonly ok: true; readonly browser: Browser; release(): Promise<void> }
  | ({ readonly ok: false } & Explanation);

/** The headless Chromium that the visits of one simulator share. It only runs while there are visits. */
export interface Chromium {
  /** @throws UsageError if Playwright is not installed */
  requirePlaywright(): void;
  /** @param executable path of the program; undefined: an installed one */
  open(executable: string | undefined): Promise<OpenedChromium>;
}

interface Running {
  readonly started: Promise<Started>;
  visits: number;
}

type Started = { readonly ok: true; readonly browser: Browser } | ({ readonly ok: false } & Explanation);

const START_TIMEOUT_MS = 30_000;

/**
 * Creates the shared Chromium, which starts with the first visit.
 * @param platformTrust how to verify the platform's own server; null if it speaks plain HTTP
 */
export function createChromium(platformTrust: () => Promise<ServerTrust | null> = async () => null): Chromium {
  const running = new Map<string, Running>();
  const forget = (key: string, entry: Running) => {
    if (running.get(key) === entry) running.delete(key);
  };
  const begin = (key: string, executable: string | undefined): Running => {
    const entry: Running = { started: start(executable, platformTrust), visits: 0 };
    running.set(key, entry);
    // One that did not start, or has ended, must not be used for the next visit.
    void entry.started.then((started) => {
      if (started.ok) started.browser.once("disconnected", () => forget(key, entry));
      else forget(key, entry);
    });
    return entry;
  };
  return {
    requirePlaywright: () => void findPlaywright(),
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

async function start(
  executable: string | undefined,
  platformTrust: () => Promise<ServerTrust | null>,
): Promise<Started> {
  if (executable !== undefined && !(await isFile(executable)))
    return { ok: false, reason: `there is no program at ${executable}`, hint: INSTALL };
  const path = executable ?? (await findInstalled());
  const platform = await platformTrust();
  const options: LaunchOptions = {
    // Without its sandbox only if it cannot have one.
    chromiumSandbox: process.getuid?.() !== 0,
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    timeout: START_TIMEOUT_MS,
    args: platform === null ? [] : [trustOf(platform)],
    ...(path === null ? {} : { executablePath: path }),
  };
  try {
    const { chromium, selectors } = loadPlaywright();
    await registerClickables(selectors);
    return { ok: true, browser: await chromium.launch(options) };
  } catch (error) {
    // Without Playwright, nothing was started.
    if (error instanceof UsageError) return { ok: false, reason: error.message, hint: error.hint };
    return { ok: false, ...explainStart((error as Error).message, path) };
  }
}

/** Makes Chromium trust this server's key, and nothing else. */
function trustOf({ ca }: ServerTrust): string {
  const key = new X509Certificate(ca).publicKey.export({ type: "spki", format: "der" });
  return `--ignore-certificate-errors-spki-list=${createHash("sha256").update(key).digest("base64")}`;
}

function explainStart(message: string, path: string | null): Explanation {
  if (path === null && message.includes("Executable doesn't exist")) return noChromium;
  const [first = ""] = message.split("\n");
  const said = /\[err\] (.*)/.exec(message)?.[1] ?? first.replace(/^[\w.]+: /, "");
  return {
    reason: `${path ?? "Chromium"} did not start: ${clip(harmlessLine(said), 200)}`,
    hint: /sandboxing failed|No usable sandbox/i.test(message)
      ? "its sandbox needs user namespaces, which this system does not allow; in a container, run app-sim as root, and Chromium starts without one"
      : "does it start manually with --headless? CHROME_PATH selects another one",
  };
}

const INSTALL = "install Chrome or Chromium, or set the environment variable CHROME_PATH to one";

function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

/** The path of an installed Chromium; null if only Playwright may have downloaded one. */
async function findInstalled(): Promise<string | null> {
  const { Launcher } = await import("chrome-launcher");
  try {
    return Launcher.getFirstInstallation() ?? null;
  } catch {
    // On some systems it throws if none is installed.
    return null;
  }
}

/** The explanation if there is no Chromium at all. */
const noChromium: Explanation = {
  reason: "no Chrome or Chromium was found, neither in the usual places nor one that Playwright downloaded",
  hint: INSTALL,
};

const packages = ["playwright-core", "playwright"];

/** Why there is no browser. */
export const NO_PLAYWRIGHT = "app-sim drives browsers with Playwright, which is not installed in this project";

/**
 * Where Playwright is installed: in the app's project, which is the working directory, or with app-sim. It is an
 * optional peer dependency, because few runs need it and it is larger than all of app-sim.
 * @throws UsageError if it is in neither
 */
function findPlaywright(): string {
  for (const from of [path.resolve("app-sim.config.json"), import.meta.url]) {
    for (const name of packages) {
      const found = resolveFrom(from, name);
      if (found !== null) return found;
    }
  }
  throw new UsageError(
    "playwright-missing",
    NO_PLAYWRIGHT,
    "npm install --save-dev playwright-core; it uses the Chrome or Chromium that you have",
  );
}

/**
 * The parts of Playwright that start Chromium.
 * @throws UsageError if Playwright is not installed
 */
function loadPlaywright(): { readonly chromium: BrowserType; readonly selectors: Selectors } {
  return createRequire(import.meta.url)(findPlaywright());
}

function resolveFrom(file: string, name: string): string | null {
  try {
    return createRequire(file).resolve(name);
  } catch {
    return null;
  }
}
