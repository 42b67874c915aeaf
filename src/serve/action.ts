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
    help: "how the platform decides when an app requests access (default: ask)",
    oneOf: ["ask", "approve", "deny"],
    setting: "consent",
  },
  fault: {
    flag: "--fault <fault>",
    help: "make the platform fail, as in token=500x2; may be repeated",
    read: repeated,
  },
  seed: { flag: "--seed <n>", help: "seed for random faults (default: 1)", read: seed },
  open: { flag: "--open", help: "open the inspector in a browser" },
};

const serveFlags: FlagsOf<ServeFlags> = {
  ...platformFlags,
  keys: { flag: "--no-keys", help: "do not read keys from the terminal" },
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
A fault is PLACE=KIND, followed by xN for the next N requests, by @P% for a
random share of requests, or by nothing for all requests:
${Object.entries(faultKinds)
  .map(([place, kinds]) => `  ${place.padEnd(8)} ${kinds.join(", ")}`)
  .join("\n")}
token means every request to the token endpoint, refresh only token refreshes,
api the REST API, and consent the response to an authorization request. slow can
have a duration, as in token=slow:3s.`;

export const serveActions = {
  serve: defineAction<never, ServeFlags>({
    command: {
      name: "serve",
      summary: "keep the platform running: OAuth server, REST API, login pages, guard callback",
      brief: "keep the platform running while you develop",
      group: "keep",
      startsPlatform: true,
      examples: [
        "app-sim serve --redirect-uri http://127.0.0.1:3000/callback",
        "app-sim serve --consent approve --fault token=500x2 --fault api=429@25%",
        "app-sim serve --open           # and show every exchange in the browser",
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
      summary: "run a command with its own platform, and with the platform's addresses and secrets",
      brief: "run a command with its own platform",
      group: "keep",
      startsPlatform: true,
      examples: [
        "app-sim exec -- npm test",
        "app-sim exec --consent approve --prefix ACME_ -- node test/login.js",
        "app-sim exec -- sh -c 'app-sim clock advance 2h && npm test'",
      ],
      help: `
The command gets the variables of app-sim env. It also gets APP_SIM_PORT and
APP_SIM_JOURNAL, so that app-sim commands that it runs use this platform. The
exit code is that of the command: 128 + n if signal n ended it, 127 if it is not
found, 126 if it cannot be executed.`,
      arguments: [{ name: "<command...>", help: "after --: the command and its arguments" }],
      flags: {
        ...platformFlags,
        prefix: { flag: "--prefix <text>", help: "prefix of each variable", default: "PLATFORM_" },
      },
      optionHint: (option) =>
        /^-\w$/.test(option)
          ? `options of a program follow its name, after --: app-sim exec -- node ${option} …`
          : null,
      load: async () => (await import("./exec-command.ts")).execCommand,
    },
  }),
  dev: defineAction<never, DevFlags>({
    command: {
      name: "dev",
      group: "keep",
      startsPlatform: true,
      brief: "start the platform, and your app with it",
      summary: "start the platform, and your app with the platform's addresses and secrets",
      examples: [
        "app-sim dev -- npm start",
        "app-sim dev --open -- npm run dev       # and show every exchange in the browser",
        "app-sim dev --app http://127.0.0.1:5000 -- flask run",
      ],
      help: `
The command gets the variables of app-sim env. The output shows the lines of your
app, the requests to the platform, and each restart of your app, after which the
manifest is read again. Other app-sim commands use this platform, as with app-sim
serve. Ctrl-C stops both. If your app ends by itself, the platform ends with the
exit code of your app.`,
      arguments: [{ name: "<command...>", help: "after --: the command that starts your app, and its arguments" }],
      flags: {
        ...serveFlags,
        prefix: { flag: "--prefix <text>", help: "prefix of each variable", default: "PLATFORM_" },
      },
      load: async () => (await import("./dev-command.ts")).devCommand,
    },
  }),
  clock: defineAction<never>({
    command: {
      name: "clock",
      summary: "move the clock of a running platform, so that codes and tokens expire",
      brief: "move the clock of a running platform",
      group: "keep",
      examples: [
        "app-sim clock",
        "app-sim clock advance 2h",
        "app-sim clock set 2031-05-06T07:08:09Z",
        "app-sim clock freeze     # until app-sim clock resume",
        "app-sim clock reset --port 7411",
      ],
      arguments: [
        { name: "[action]", help: "what to do", oneOf: clockVerbs, read: clockVerb },
        { name: "[value]", help: "a duration such as 2h or 1h30m, or a time such as 2031-05-06T07:08:09Z" },
      ],
      optionHint: (option) =>
        /^-\d/.test(option)
          ? "advance only moves the clock forward: `app-sim clock set TIME` sets it to any time, `app-sim clock reset` to the real one"
          : null,
      argumentsHint: (words) => {
        const [, number, unit] = /^advance (\d+) ([dhms])/.exec(words.join(" ")) ?? [];
        return number === undefined
          ? null
          : `a duration is written without spaces: app-sim clock advance ${number}${unit}`;
      },
      load: async () => (await import("./steer-command.ts")).clockCommand,
    },
  }),
  fault: defineAction<never>({
    command: {
      name: "fault",
      summary: "make a running platform fail on purpose, to test the app's error handling",
      brief: "make a running platform fail on purpose",
      group: "keep",
      examples: ["app-sim fault token=500x2 api=429@25%", "app-sim fault list", "app-sim fault clear"],
      help: faultsHelp,
      arguments: [
        {
          name: "[fault...]",
          help: "faults to add, or list (the default), or clear",
          suggested: ["list", "clear", ...everyFault],
        },
      ],
      optionHint: (option) =>
        /^--(times|count)$/.test(option) ? "the number of times is part of the fault: app-sim fault token=500x2" : null,
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
