import { defineAction, type FlagsOf } from "../action/define-action.ts";
import { InvalidFlagError, redirectUriFlag, repeated } from "../action/flags.ts";
import { parseDuration, usualDuration } from "../protocol/duration.ts";
import { faultKinds } from "../protocol/fault-kinds.ts";
import { didYouMean } from "../protocol/nearest.ts";
import { UsageError } from "../protocol/usage-error.ts";

/** Flags of `app-sim serve`, `app-sim exec` and `app-sim dev`. */
export interface ServeFlags {
  readonly redirectUri?: readonly string[];
  readonly consent?: "ask" | "approve" | "deny";
  readonly fault?: readonly string[];
  readonly seed?: number;
  /** Opens the inspector in a browser. */
  readonly open?: boolean;
  /** false: keys are not read. */
  readonly keys?: boolean;
}

export interface ExecFlags extends Omit<ServeFlags, "keys"> {
  readonly prefix?: string;
}

export interface DevFlags extends ServeFlags {
  readonly prefix?: string;
}

const platformFlags: FlagsOf<Omit<ServeFlags, "keys">> = {
  redirectUri: redirectUriFlag,
  consent: {
    flag: "--consent <how>",
    help: "who answers when an app asks for access (default: ask)",
    oneOf: ["ask", "approve", "deny"],
    setting: "consent",
  },
  fault: {
    flag: "--fault <fault>",
    help: "a fault of the platform, such as token=500x2; may be repeated",
    read: repeated,
  },
  seed: { flag: "--seed <n>", help: "decides which random faults happen (default: 1)", read: seed },
  open: { flag: "--open", help: "open the inspector in a browser" },
};

const serveFlags: FlagsOf<ServeFlags> = {
  ...platformFlags,
  keys: { flag: "--no-keys", help: "do not read keys in a terminal" },
};

const clockVerbs = ["show", "advance", "set", "freeze", "resume", "reset"] as const;
export type ClockVerb = (typeof clockVerbs)[number];

/** Other words for them. */
const wordsForVerbs: { readonly [Verb in ClockVerb]?: readonly string[] } = {
  advance: ["forward", "add", "skip", "jump", "travel"],
  freeze: ["stop", "pause"],
  resume: ["start", "continue", "unfreeze"],
};

const everyFault = Object.entries(faultKinds).flatMap(([place, kinds]) => kinds.map((kind) => `${place}=${kind}`));

export const faultsHelp = `
Faults are written PLACE=KIND, then x and how often, or @ and how likely; with
neither they happen each time:
${Object.entries(faultKinds)
  .map(([place, kinds]) => `  ${place.padEnd(8)} ${kinds.join(", ")}`)
  .join("\n")}
token is every request to the token endpoint, refresh only those for a new
token, api the REST API, consent the answer to an authorization request. slow
takes a duration, as in token=slow:3s.`;

export const serveActions = {
  serve: defineAction<never, ServeFlags>({
    command: {
      name: "serve",
      summary: "keep the platform up: OAuth server, REST API, login pages, guard callback",
      brief: "keep the platform up: OAuth server, REST API, login pages",
      group: "keep",
      startsPlatform: true,
      examples: [
        "app-sim serve --redirect-uri http://127.0.0.1:3000/callback",
        "app-sim serve --consent approve --fault token=500x2 --fault api=429@25%",
        "app-sim serve --open           # and see every exchange in the browser",
        "app-sim serve --config team.config.json --wait 30",
        "app-sim serve --format json     # a JSON object per line",
      ],
      help: faultsHelp,
      flags: serveFlags,
      load: async () => (await import("./command.ts")).serveCommand,
    },
  }),
  exec: defineAction<never, ExecFlags>({
    command: {
      name: "exec",
      summary: "run a command with a platform of its own, and with its addresses and secrets",
      brief: "run a command with a platform of its own",
      group: "keep",
      startsPlatform: true,
      examples: [
        "app-sim exec -- npm test",
        "app-sim exec --consent approve --prefix ACME_ -- node test/login.js",
        "app-sim exec -- sh -c 'app-sim clock advance 2h && npm test'",
      ],
      help: `
CMD gets the variables of app-sim env, and with APP_SIM_PORT and APP_SIM_JOURNAL
the way to this platform for the commands of app-sim within it. The exit
code is that of CMD: 128 + n if signal n ended it, 127 if there is no such
command, 126 if it cannot be run.`,
      arguments: [{ name: "<command...>", help: "after --: the command and its arguments" }],
      flags: {
        ...platformFlags,
        prefix: { flag: "--prefix <text>", help: "beginning of each name", default: "PLATFORM_" },
      },
      load: async () => (await import("./exec-command.ts")).execCommand,
    },
  }),
  dev: defineAction<never, DevFlags>({
    command: {
      name: "dev",
      group: "keep",
      startsPlatform: true,
      brief: "keep the platform up, and start your app on it",
      summary: "keep the platform up and start your app on it, with its addresses and secrets",
      examples: [
        "app-sim dev -- npm start",
        "app-sim dev --open -- npm run dev       # and see every exchange in the browser",
        "app-sim dev --app http://127.0.0.1:5000 -- flask run",
      ],
      help: `
CMD gets the variables of app-sim env. What happens on the platform is shown
between the lines of your app, and so is each restart of it: the manifest is
then read again. Other commands of app-sim find the platform, as they find
app-sim serve. Ctrl-C ends both; if your app ends by itself, the platform ends
with its exit code.`,
      arguments: [{ name: "<command...>", help: "after --: the command that starts your app, and its arguments" }],
      flags: {
        ...serveFlags,
        prefix: { flag: "--prefix <text>", help: "beginning of each name", default: "PLATFORM_" },
      },
      load: async () => (await import("./dev-command.ts")).devCommand,
    },
  }),
  clock: defineAction<never>({
    command: {
      name: "clock",
      summary: "change the clock of a running app-sim serve: codes and tokens expire by it",
      brief: "change the clock of a running app-sim serve",
      group: "keep",
      examples: [
        "app-sim clock",
        "app-sim clock advance 2h",
        "app-sim clock set 2031-05-06T07:08:09Z",
        "app-sim clock freeze     # and app-sim clock resume",
        "app-sim clock reset --port 7411",
      ],
      arguments: [
        { name: "[action]", help: "what to do", oneOf: clockVerbs, read: clockVerb },
        { name: "[value]", help: "a duration such as 2h or 1h30m, or a time such as 2031-05-06T07:08:09Z" },
      ],
      load: async () => (await import("./steer-command.ts")).clockCommand,
    },
  }),
  fault: defineAction<never>({
    command: {
      name: "fault",
      summary: "make a running app-sim serve fail on purpose, for the app's error handling",
      brief: "make a running app-sim serve fail on purpose",
      group: "keep",
      examples: ["app-sim fault token=500x2 api=429@25%", "app-sim fault list", "app-sim fault clear"],
      help: faultsHelp,
      arguments: [
        {
          name: "[fault...]",
          help: "faults to add; or list (the default), or clear",
          suggested: ["list", "clear", ...everyFault],
        },
      ],
      load: async () => (await import("./steer-command.ts")).faultCommand,
    },
  }),
};

function seed(text: string): number {
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(Number(text)))
    throw new InvalidFlagError("Expected a whole number.");
  return Number(text);
}

/** A duration in the form that `clock advance` accepts, such as 2h30m for 2h30; an example if it accepts neither. */
function durationMeant(text: string): string {
  const bare = text.replace(/^\+/, "");
  try {
    parseDuration(bare);
    return bare;
  } catch {
    return usualDuration(bare) ?? "2h, or another duration, such as 90s or 1h30m";
  }
}

function clockVerb(text: string): ClockVerb {
  const found = clockVerbs.find((verb) => verb === text);
  if (found !== undefined) return found;
  const meant = /^\d{4}-/.test(text) ? "set" : /^\+?\d/.test(text) ? "advance" : null;
  const [other] = Object.entries(wordsForVerbs).find(([, words]) => words.includes(text)) ?? [];
  throw new UsageError(
    "clock-invalid",
    `clock ${text}: there is no such action.${meant === null ? didYouMean(other ?? text, clockVerbs) : ""}`,
    meant === null
      ? `allowed: ${clockVerbs.join(", ")}`
      : `app-sim clock ${meant} ${meant === "set" ? text : durationMeant(text)}`,
  );
}
