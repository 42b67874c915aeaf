// Loaded before the clock of a test runs.
import "../../../src/guard/guard-walk.ts";
import { once } from "node:events";
import { createServer } from "node:http";
import { expect } from "vitest";
import { type FakeApp, manifestOf, startFakeApp, unusedPort } from "../../rig/fake-app.ts";
import { type LineInTerminal, startLineInTerminal } from "../../rig/line-terminal.ts";
import { keys, startTerminal, type TerminalOptions, type TerminalSession } from "../../rig/terminal.ts";

export const everyStage = ["--mfa", "--device-trust", "--remember-me"];

/** An app that the test steers, and `app-sim guard` with keys in a terminal. */
export interface Walked<Term = Omit<TerminalSession, "kill">> extends AsyncDisposable {
  readonly app: FakeApp;
  readonly term: Term;
  /** The platform's, free when it does not run. */
  readonly port: number;
}

type Start<Term> = (args: readonly string[], options: TerminalOptions) => Term;

/** Starts an app with these guards, or one that keeps its manifest back, and a login in a terminal of this process. */
export function startWalk(
  guards: readonly unknown[] | null,
  args: readonly string[] = [],
  options: TerminalOptions = {},
): Promise<Walked<LineInTerminal>> {
  return start(startLineInTerminal, guards, args, options);
}

/** The same with a process of its own in a real terminal. */
export function startRealWalk(
  guards: readonly unknown[] | null,
  args: readonly string[] = [],
  options: TerminalOptions = {},
): Promise<Walked<TerminalSession>> {
  return start(startTerminal, guards, args, options);
}

async function start<Term extends AsyncDisposable>(
  startIt: Start<Term>,
  guards: readonly unknown[] | null,
  args: readonly string[],
  options: TerminalOptions,
): Promise<Walked<Term>> {
  const app = await startFakeApp(guards === null ? {} : { manifest: manifestOf({ guards }) });
  const port = await unusedPort();
  const term = startIt(
    ["guard", "--app", app.url, "--port", `${port}`, "--no-open", "--from", "password", ...args],
    options,
  );
  return {
    app,
    term,
    port,
    async [Symbol.asyncDispose]() {
      await term[Symbol.asyncDispose]();
      await app.close();
    },
  };
}

export async function reachPassword({ term }: Walked): Promise<void> {
  await term.shows("Password: your turn");
}

export async function enterPassword(walk: Walked): Promise<void> {
  await reachPassword(walk);
  walk.term.press(keys.enter);
}

/** To where the first guard waits for its user. */
export async function reachPage(walk: Walked): Promise<readonly string[]> {
  await enterPassword(walk);
  (await walk.app.nextCall()).reply({ success: false });
  return walk.term.shows("Open this link in a browser:");
}

/** Opens the link on the screen as a browser would, and comes back from the page of a redirect guard. */
export async function comeBack(screen: readonly string[], answer: Record<string, string>): Promise<void> {
  const link = /http:\/\/\S+\/login\/\S+/.exec(screen.join("\n"))?.[0] ?? "";
  const opened = await fetch(link, { redirect: "manual" });
  const page = new URL(opened.headers.get("location") ?? "");
  const query = new URLSearchParams({ state: page.searchParams.get("state") ?? "", ...answer });
  await fetch(`${link.replace(/\/login\/.*/, "/guard/callback")}?${query}`);
}

/** Once it has ended: nothing of the walk is left in the terminal, nor at the port. */
export async function expectRestored({ term, port }: Walked): Promise<void> {
  await term.ended;
  expect(term.leftChanged()).toEqual([]);
  expect(await isFree(port)).toBe(true);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
