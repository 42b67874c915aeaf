import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { type SampleApp, startSampleApp } from "../../examples/sample-app/app.js";
import type { CommandCall } from "../action/command-call.ts";
import type { ChoiceId } from "../config/choices.ts";
import { loadConfig } from "../config/load.ts";
import { secretsOf } from "../config/secrets.ts";
import { shippedFixtures } from "../config/shipped-fixtures.ts";
import type { GuardMethods } from "../guard/action.ts";
import { guardText } from "../guard/guard-text.ts";
import type { OAuthLoginMethods } from "../oauth-login/action.ts";
import { oauthExchangeLines, oauthText } from "../oauth-login/oauth-text.ts";
import { exchangeLines } from "../output/exchange-text.ts";
import { exitCodes } from "../output/exit-code.ts";
import { printLines } from "../output/fit-lines.ts";
import { jsonText } from "../output/json.ts";
import { indent, table } from "../output/layout.ts";
import type { Paint } from "../output/paint.ts";
import { tell } from "../output/tell.ts";
import type { SimulatorFace } from "../platform/simulator-options.ts";
import type { ImportMethods } from "../post-import/action.ts";
import { importText } from "../post-import/text/import-text.ts";
import { harmlessLine } from "../protocol/harmless.ts";
import type { WebhookMethods } from "../webhook/action.ts";
import { webhookText } from "../webhook/webhook-text.ts";
import type { DemoFlags } from "./action.ts";
import type { DemoResult } from "./demo-result.ts";
import { deliveryLines, importLines, loginLines, oauthLines } from "./demo-text.ts";
import { listeningAt, portOfApp } from "./sample-app-port.ts";

const fixture = {
  name: "fixtures/jobs/greetings.json",
  file: join(shippedFixtures, "jobs/greetings.json"),
};

type DemoSimulator = SimulatorFace & GuardMethods & ImportMethods & WebhookMethods & OAuthLoginMethods;

/** `app-sim demo`: every capability once, on the sample app and on free ports. */
export async function demoCommand({
  invocation,
  flags: { keep = false, details = false, broken },
  startSimulator,
}: CommandCall<DemoSimulator, DemoFlags>): Promise<number> {
  if (broken !== undefined) return (await import("./broken-command.ts")).brokenCommand(invocation, broken);
  const { format, out, err, paint, signal, settings, env, cwd } = invocation;
  const { config, origins } = await loadConfig(settings, env, cwd);
  const [installation] = config.apps;
  if (installation === undefined) throw new RangeError("a configuration without apps");
  for (const [path, origin] of origins) {
    if (!path.startsWith("choices.") || origin === "default") continue;
    err(`warning: ${path.slice("choices.".length)} stays at its default: the sample app supports no other\n`);
  }
  for (const flag of ["app", "port"] as const) {
    if (keep || settings[flag] === undefined) continue;
    err(`warning: --${flag} has no effect without --keep: the demo takes free ports\n`);
  }
  const held = keep ? null : await holdFreePort();
  const port = held?.port ?? portOfApp(installation.url);
  const url = `http://127.0.0.1:${port}`;
  const app = { ...installation, url, manifest: `${url}/manifest.json`, scopes: [] };
  const simulator = await startSimulator({
    ...config,
    profile: null,
    // The sample app supports only the default choices.
    choices: {},
    tls: false,
    publicUrl: null,
    apps: [{ ...app, redirectUris: [`${url}/oauth/callback`] }],
    oauth: { ...config.oauth, consent: "ask" },
    // An app that keeps running must know the address that later commands will use.
    ...(keep ? { listen: "when-needed" } : { port: 0 }),
    onTrouble: (message) => err(`warning: ${harmlessLine(message)}\n`),
    signal,
  });
  let sample: SampleApp | null = null;
  try {
    await held?.release();
    sample = await listeningAt(port, () => startSampleApp({ ...installation, authUrl: simulator.url, port }));
    const say = (lines: readonly string[]) => format === "text" && printLines({ out, paint }, lines);
    say([
      paint.strong("app-sim plays the localization platform against a sample app."),
      `platform ${simulator.url}, sample app ${sample.url}`,
      "",
    ]);
    const result = await takeSteps(simulator, { secrets: secretsOf(config), paint, isDetailed: details, say });
    if (format === "json") out(jsonText(result));
    say(closing(simulator, paint.strong));
    // Free its port for later commands.
    await simulator.close();
    if (keep) {
      tell(invocation, `the sample app stays at ${url} until Ctrl-C; in another terminal:`);
      // Not wrapped, so that the command can be copied.
      err(`  app-sim guard --app ${url}\n`);
      invocation.expectInterrupt();
      if (!signal.aborted) await once(signal, "abort");
    }
    return result.outcome === "ok" ? exitCodes.asExpected : exitCodes.failed;
  } finally {
    await simulator.close();
    await sample?.close();
  }
}

/** Holds a free port until the app starts: the platform must know it before that, and others take free ports, too. */
async function holdFreePort(): Promise<{ readonly port: number; release(): Promise<void> }> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const release = async () => {
    server.close();
    await once(server, "close");
  };
  // If the platform does not start, nothing releases it.
  server.unref();
  return { port, release };
}

/** How the steps are shown. */
interface StepDisplay {
  /** Hidden wherever they occur. */
  readonly secrets: readonly string[];
  readonly paint: Paint;
  /** Whether each step is shown in full. */
  readonly isDetailed: boolean;
  readonly say: (lines: readonly string[]) => void;
}

async function takeSteps(
  simulator: DemoSimulator,
  { secrets, paint, isDetailed, say }: StepDisplay,
): Promise<DemoResult> {
  const exchanges = exchangeLines(simulator.journal, secrets, paint);
  const inner = { ...paint, width: paint.width - INDENT };
  const step = (title: string, short: readonly string[], long: readonly string[]) =>
    say([paint.strong(title), ...indent(isDetailed ? long : short, INDENT), ""]);

  const login = await simulator.guard({ page: { fill: {} } });
  const denied = await simulator.guard({ user: "member", modules: ["network"], ipAddress: STRANGE_ADDRESS });
  const logins = [login, denied];
  step(
    "1. A user logs in through the app's guards (app-sim guard)",
    logins.flatMap((each) => loginLines(each, inner)),
    logins.flatMap((each) => [...guardText(plain(each), exchanges, inner), ""]).slice(0, -1),
  );

  const result = await simulator.postImport(fixture.file);
  const imported = { ...result, jobs: result.jobs.map((job) => ({ ...job, fixture: fixture.name })) };
  step(
    "2. A file is imported, and the app may change it (app-sim post-import)",
    importLines(imported, inner),
    importText(plain(imported), exchanges, inner, false).slice(0, -1),
  );

  const webhook = await simulator.webhook(["project.translated", "project.approved"]);
  const forged = await simulator.webhook("project.translated", { tamper: "signature" });
  step(
    "3. The app gets signed events, and a forged one (app-sim webhook --tamper)",
    deliveryLines([webhook, forged], inner),
    [...webhookText(plain(webhook), exchanges, inner), "", ...webhookText(plain(forged), exchanges, inner)],
  );

  const oauth = await simulator.oauthLogin({ start: "/login" });
  step(
    "4. A user logs in to the app, and it calls the API (app-sim oauth)",
    oauthLines(oauth, inner),
    oauthText(plain(oauth), oauthExchangeLines(simulator.journal, secrets, paint), inner),
  );

  const isOk =
    login.outcome === "granted" &&
    denied.outcome === "denied" &&
    imported.jobs.every((job) => job.outcome === "imported") &&
    webhook.outcome === "acknowledged" &&
    forged.outcome === "refused" &&
    oauth.outcome === "ok";
  return { command: "demo", outcome: isOk ? "ok" : "failed", login, denied, import: imported, webhook, forged, oauth };
}

/** All choices are at their defaults here, so none is mentioned. */
function plain<Result extends { readonly choices: readonly ChoiceId[] }>(result: Result): Result {
  return { ...result, choices: [] };
}

const INDENT = 3;
/** TEST-NET-2 (RFC 5737): the sample app's network guard lets nobody in from there. */
const STRANGE_ADDRESS = "198.51.100.7";

function closing({ journal }: DemoSimulator, strong: (text: string) => string): string[] {
  const exchange = journal.list().find((record) => record.type === "exchange" && record.purpose === "guard");
  return [
    strong("Now with your own app, in its folder:"),
    ...indent(
      table([
        ["app-sim init", "write a config file, a test and a CI workflow"],
        ["app-sim doctor", "see whether everything is in place"],
        ["app-sim env", "secrets and addresses for the app"],
        ["app-sim guard", "log in; likewise post-import, webhook and oauth"],
        ["app-sim verify", "try everything that it must check"],
      ]),
      2,
    ),
    `In this folder, app-sim log ${exchange?.id ?? ""} shows one exchange of this demo in full.`,
  ];
}
