import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { type Browser, chromium } from "playwright-core";

const PACKAGE = "@sparticuz/chromium";
// Inside the package, so that npm takes it away together with the version that it comes from.
const UNPACKED = join(dirname(createRequire(import.meta.url).resolve(PACKAGE)), "../../unpacked");

// The package looks for its fonts in a fixed directory that is not ours.
const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`;

// The libraries are for machines that have none of their own.
const LAUNCHER = `#!/bin/sh
here=$(dirname "$0")
export FONTCONFIG_PATH="$here/fonts"
export LD_LIBRARY_PATH="$here/al2023/lib\${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
exec "$here/chromium" "$@"
`;

/**
 * Starts a headless Chromium that guards its pages from each other as a person's browser does: with the same-origin
 * policy, and a process for each site. It runs as root, so without a sandbox: for pages of the tests only.
 *
 * @param args more arguments of Chromium
 * @example
 * await using browser = await startBrowser();
 * const page = await browser.newPage();
 */
export async function startBrowser(args: readonly string[] = []): Promise<Browser> {
  return await chromium.launch({
    executablePath: await chromiumPath(),
    // The package's own arguments would take both guards off. Without any there is no process for each site either.
    args: ["--site-per-process", ...args],
    // SIGTERM then ends a worker of the test runner as ever, and the browser with it, when its pipe breaks.
    handleSIGTERM: false,
  });
}

/**
 * An executable Chromium for CHROME_PATH, whatever the environment that it is started in. As root it starts with
 * `--no-sandbox` only, which is for the caller to say. The first call on a machine unpacks it.
 */
export async function chromiumPath(): Promise<string> {
  await makeDirectoryOnce(UNPACKED, unpack);
  return join(UNPACKED, "chrome");
}

async function unpack(directory: string): Promise<void> {
  // In a process of its own, as the package changes the environment, and unpacks to the temporary directory.
  const script = "await (await import(process.argv[1])).default.executablePath()";
  const env = { PATH: process.env.PATH, TMPDIR: directory, AWS_LAMBDA_JS_RUNTIME: "nodejs22.x" };
  const options = { env, cwd: import.meta.dirname };
  await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script, PACKAGE], options);
  await writeFile(join(directory, "fonts/fonts.conf"), FONTS);
  await writeFile(join(directory, "chrome"), LAUNCHER, { mode: 0o755 });
}

/**
 * Makes a directory by `fill`, which gets the path of an empty one, unless it is there. It appears with all that it
 * holds or not at all, also when several processes make it at once: the first to be ready wins.
 */
export async function makeDirectoryOnce(path: string, fill: (directory: string) => Promise<void>): Promise<void> {
  if (existsSync(path)) return;
  const draft = await mkdtemp(`${path}-`);
  try {
    await fill(draft);
    await rename(draft, path).catch((error) => {
      if (!existsSync(path)) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}
