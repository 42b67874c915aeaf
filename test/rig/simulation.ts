import { createAppGateway } from "../../src/app-client/app-gateway.ts";
import { type AppGateway, randomIds, systemClock } from "../../src/app-client/ports.ts";
import { findLanguage } from "../../src/config/languages.ts";
import { configure } from "../../src/config/load.ts";
import {
  type ConfigInput,
  type Exchange,
  type GuardResult,
  type ImportJob,
  type Journal,
  type SimulatorOptions,
  type StringRecord,
  UsageError,
} from "../../src/index.ts";
import { createJournal } from "../../src/journal/journal.ts";
import { createSimulator, type Simulator, type SimulatorParts, withServices } from "../../src/simulator.ts";
import { type RunningPlatform, startPlatform } from "../../src/start-platform.ts";
import { type AppCall, type CallHandler, type FakeApp, startFakeApp } from "./fake-app.ts";

/** A simulator and the app that it calls; disposing of it closes both. */
export interface Simulation extends AsyncDisposable {
  readonly app: FakeApp;
  readonly sim: RunningPlatform;
}

export interface SimulationOptions extends SimulatorOptions {
  /** What the app serves as its manifest. */
  readonly serves: unknown;
  /** How the app answers each call; without it the test takes the calls with `app.nextCall()`. */
  readonly answer?: CallHandler;
  /** Where the app may be beside its own address. */
  readonly fileOrigins?: string[];
  /** What the app may ask for. */
  readonly scopes?: string[];
}

/** Starts an app that the test steers and a simulator that has it installed; other options are the simulator's. */
export async function startSimulation({
  serves,
  answer,
  fileOrigins = [],
  scopes = [],
  ...options
}: SimulationOptions): Promise<Simulation> {
  const app = await startFakeApp({ manifest: serves });
  if (answer !== undefined) app.answer(answer);
  const sim = await startPlatform({ app: { url: app.url, fileOrigins, scopes }, ...options });
  return {
    app,
    sim,
    async [Symbol.asyncDispose]() {
      await sim.close();
      await app.close();
    },
  };
}

/** A simulator put together as `startPlatform` does, without a server and with some parts of the test's own. */
export async function assemble(input: ConfigInput, parts: Partial<SimulatorParts> = {}): Promise<Simulator> {
  return withServices(
    createSimulator({
      ...(await configure(input, process.cwd())),
      journal: createJournal(),
      clock: systemClock,
      ids: randomIds,
      gateway: createAppGateway(systemClock),
      baseUrl: () => "http://127.0.0.1:7410",
      ...parts,
    }),
  );
}

/**
 * The real gateway in a hurry: of each call to a module it notes the time limit that it is given, and waits no
 * longer than `limitMs`.
 */
export function hurriedGateway(limitMs: number): AppGateway & { readonly limits: readonly number[] } {
  const gateway = createAppGateway(systemClock);
  const limits: number[] = [];
  return {
    limits,
    call(call) {
      if (call.method === "GET") return gateway.call(call);
      limits.push(call.timeoutMs);
      return gateway.call({ ...call, timeoutMs: limitMs });
    },
  };
}

/** Answers every call with this value as JSON. */
export function always(value: unknown): CallHandler {
  return (call) => call.reply(value);
}

/** Answers each call by the path that it is for. */
export function byPath(handlers: Readonly<Record<string, CallHandler>>): CallHandler {
  return (call) => {
    const handler = handlers[call.path];
    if (handler === undefined) throw new Error(`no handler for ${call.method} ${call.path}`);
    return handler(call);
  };
}

/** What the journal has of the calls with this purpose, oldest first. */
export function exchangesOf({ journal }: { readonly journal: Journal }, purpose: Exchange["purpose"]): Exchange[] {
  return journal
    .list()
    .filter((record): record is Exchange => record.type === "exchange" && record.purpose === purpose);
}

/** The one call that the app got. */
export function onlyCall({ calls }: Pick<FakeApp, "calls">): AppCall {
  const [call, ...others] = calls;
  if (call === undefined || others.length > 0) throw new Error(`the app got ${calls.length} calls, not one`);
  return call;
}

/** The JWT in a call's Authorization header; "" where that is not a Bearer one. */
export function bearerOf(call: AppCall): string {
  return /^Bearer (\S+)$/.exec(call.header("authorization") ?? "")?.[1] ?? "";
}

/** The stages of a login in which an auth-guard was asked, or was not. */
export function guardStages({ stages }: GuardResult): GuardResult["stages"] {
  return stages.filter(({ stage }) => stage === "guard");
}

/** A wire job (interface 2.3) in English, for translation into Ukrainian, with these strings. */
export function jobWith(strings: readonly StringRecord[], changes: Partial<ImportJob> = {}): ImportJob {
  const languages = ["en", "uk"].map((id) => findLanguage(id));
  const [sourceLanguage, targetLanguage] = languages;
  if (sourceLanguage === undefined || targetLanguage === undefined) throw new Error("en and uk are languages");
  return {
    jobType: "file-post-import",
    organization: { id: 7, domain: "acme", baseUrl: "https://acme.example", apiBaseUrl: "https://api.acme.example" },
    project: { id: 8, identifier: "site", name: "Site" },
    file: { id: 9, name: "site.json", content: Buffer.from('{"title":"Hello"}').toString("base64") },
    sourceLanguage,
    targetLanguages: [targetLanguage],
    strings: [...strings],
    ...changes,
  };
}

/** A string record (interface 2.5). */
export function record(uniqId: string, text: StringRecord["text"], changes: Partial<StringRecord> = {}): StringRecord {
  return { uniqId, identifier: `key.${uniqId}`, text, ...changes };
}

/** The user's mistake that an action ends with. */
export async function usageErrorOf(action: Promise<unknown>): Promise<UsageError> {
  const error = await action.then(
    () => new Error("it did not fail"),
    (cause: unknown) => cause,
  );
  if (error instanceof UsageError) return error;
  throw error;
}
