import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { SampleApp, startSampleApp } from "../../examples/sample-app/app.js";
import type { SimulatorOptions } from "../../src/platform/simulator-options.ts";
import { type RunningPlatform, startPlatform } from "../../src/start-platform.ts";
import { portForLater } from "../rig/port-for-later.ts";

/** A replacement in a file of the sample app; `from` stands there exactly once. */
export interface Edit {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** The sample app with these edits, and a platform that has it installed; disposing of it closes both. */
export interface EditedApp extends AsyncDisposable {
  readonly app: SampleApp;
  readonly sim: RunningPlatform;
}

const root = resolve(import.meta.dirname, "../..");
const sampleApp = join(root, "examples/sample-app");
// Below node_modules, so that the copy finds the packages of the sample app.
const copies = join(root, "node_modules/.cache/edited-apps");

const secrets = {
  clientId: "app-sim-client",
  clientSecret: "canary-client-secret-0123456789abcdef",
  appSecret: "canary-app-secret-0123456789abcdef",
};

/** Starts the sample app as its files are after the edits. */
export async function startEditedApp(edits: readonly Edit[], options: SimulatorOptions = {}): Promise<EditedApp> {
  const { directory, start } = await edited(edits);
  const port = await portForLater();
  const url = `http://127.0.0.1:${port}`;
  const sim = await startPlatform({
    app: { ...secrets, url, redirectUris: [`${url}/oauth/callback`] },
    ...options,
  });
  const app = await start({ ...secrets, authUrl: sim.url, port });
  return {
    app,
    sim,
    async [Symbol.asyncDispose]() {
      await app.close();
      await sim.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function edited(edits: readonly Edit[]): Promise<{ directory: string; start: typeof startSampleApp }> {
  await mkdir(copies, { recursive: true });
  const directory = await mkdtemp(join(copies, "app-"));
  await cp(sampleApp, directory, { recursive: true });
  for (const { file, from, to } of edits) {
    const text = await readFile(join(directory, file), "utf8");
    const parts = text.split(from);
    if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} times, not once: ${from}`);
    await writeFile(join(directory, file), parts.join(to));
  }
  const module = (await import(pathToFileURL(join(directory, "app.js")).href)) as {
    readonly startSampleApp: typeof startSampleApp;
  };
  return { directory, start: module.startSampleApp };
}
