import { shellWord } from "../../output/shell-word.ts";
import { isWireJob } from "../../post-import/files/wire-job.ts";
import { loginPath } from "../../web/login-paths.ts";
import type { PlatformView } from "../view.ts";

/** What a person fills in: texts, `yes` for a ticked box; for a file its name and content. */
export type ActValues = Readonly<Record<string, string>>;

export interface ActField {
  readonly name: string;
  readonly label: string;
  readonly kind: "text" | "choice" | "check" | "json" | "file";
  readonly value: string;
  readonly options?: readonly string[];
  readonly hint?: string;
}

/** The request to the platform, and the equivalent command line. */
export interface ActOrder {
  readonly path: string;
  readonly body: unknown;
  readonly command: string;
}

export interface ActPlan {
  readonly id: string;
  readonly title: string;
  readonly fields: readonly ActField[];
  /** @throws Error with what is wrong, for the person */
  order(values: ActValues): ActOrder;
}

function line(...parts: readonly (string | null)[]): string {
  return ["app-sim", ...parts.filter((part) => part !== null)].join(" ");
}

function action(name: string, args: readonly unknown[], command: string): ActOrder {
  return { path: `/-/actions/${name}`, body: { given: { value: {}, origins: {} }, cwd: ".", args }, command };
}

function json(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${what} is not JSON: ${(error as Error).message}`);
  }
}

const text = (name: string, label: string, value = "", hint?: string): ActField => ({
  ...{ name, label, kind: "text", value },
  ...(hint === undefined ? {} : { hint }),
});
const choice = (name: string, label: string, options: readonly string[], value = options[0] ?? ""): ActField => ({
  ...{ name, label, kind: "choice", value, options },
});

function wordsOf(given = ""): string[] {
  return given.split(/[\s,]+/).filter(Boolean);
}

/** Everything that can be done here, all of it through the platform's control addresses. */
export function actPlans(platform: PlatformView): ActPlan[] {
  return [
    webhookPlan,
    guardPlan(platform),
    importPlan,
    oauthPlan(platform),
    verifyPlan,
    clockPlan,
    faultsPlan,
    installPlan,
    loginPlan(platform),
  ];
}

const webhookPlan: ActPlan = {
  id: "webhook",
  title: "Deliver an event",
  fields: [
    text("events", "Events", "project.translated"),
    {
      name: "data",
      label: "Payload",
      kind: "json",
      value: "",
      hint: "JSON that replaces the default payload; {{…}} templates are filled in",
    },
    choice("tamper", "Tampering", ["none", "all", "body", "signature", "secret", "header"]),
    text("count", "How many", "1"),
  ],
  order: ({ events, data = "", tamper = "none", count = "1" }) => {
    const names = wordsOf(events);
    if (names.length === 0) throw new Error("name an event");
    if (!/^[1-9]\d{0,5}$/.test(count)) throw new Error("how many must be a whole number from 1");
    const options = {
      respell: true,
      ...(data.trim() === "" ? {} : { data: json(data, "the payload") }),
      ...(tamper === "none" ? {} : { tamper }),
      ...(count === "1" ? {} : { count: Number(count) }),
    };
    const flags = [
      data.trim() === "" ? null : `--data ${shellWord(data.trim())}`,
      tamper === "none" ? null : `--tamper ${tamper}`,
      count === "1" ? null : `--count ${count}`,
    ];
    return action("webhook", [names, options], line("webhook", ...names.map(shellWord), ...flags));
  },
};

/** Who logs in: at first the configured user, because guards skip the owner, who comes first. */
function userChoice({ users, login }: PlatformView): ActField {
  return choice("user", "User", [...new Set(users.map(({ role }) => role))], login.user);
}

function guardPlan(platform: PlatformView): ActPlan {
  return {
    id: "guard",
    title: "Log in through the guards",
    fields: [
      userChoice(platform),
      text("ip", "From the address", platform.login.ipAddress),
      text("press", "Button to press", "", "on the page of a guard"),
    ],
    order: ({ user = "", ip = "", press = "" }) => {
      const options = {
        user,
        ...(ip === "" ? {} : { ipAddress: ip }),
        ...(press === "" ? {} : { page: { fill: {}, press } }),
      };
      const flags = [ip === "" ? null : `--ip ${shellWord(ip)}`, press === "" ? null : `--press ${shellWord(press)}`];
      return action("guard", [options], line("guard", `--user ${user}`, ...flags));
    },
  };
}

/** Whether a fixture needs files next to it, which a browser does not see. */
function namesFiles(content: unknown): boolean {
  const { file, stringsFile } = (content ?? {}) as {
    readonly file?: { readonly path?: unknown };
    stringsFile?: unknown;
  };
  return stringsFile !== undefined || file?.path !== undefined;
}

const importPlan: ActPlan = {
  id: "import",
  title: "Import a fixture",
  fields: [
    { name: "file", label: "Fixture", kind: "file", value: "", hint: "choose a file, or drop it into the window" },
    text("path", "Or its path", "", "in the folder of the platform, such as fixtures/jobs/greetings.json"),
  ],
  order: ({ file = "", "file name": name = "fixture.json", path = "" }) => {
    if (path !== "") return action("postImport", [path, {}], line("post-import", shellWord(path)));
    if (file === "") throw new Error("choose a fixture, or give its path");
    const content = json(file, name);
    if (namesFiles(content)) throw new Error(`${name} names another file, relative to itself: give its path instead`);
    const source = isWireJob(content) ? { name, job: content } : { name, fixture: content };
    return action("postImport", [source, {}], line("post-import", shellWord(name)));
  },
};

function oauthPlan(platform: PlatformView): ActPlan {
  const { apps, oauthStart } = platform;
  const redirectUri = apps[0]?.redirectUri ?? null;
  return {
    id: "oauth",
    title: "Log in by OAuth",
    fields: [text("start", "Where the app's login begins", oauthStart ?? "/login"), userChoice(platform)],
    order: ({ start = "", user = "" }) => {
      if (start === "") throw new Error("enter where the login begins, such as /login");
      const uri = redirectUri === null ? null : `--redirect-uri ${shellWord(redirectUri)}`;
      return action(
        "oauthLogin",
        [{ start, user }],
        line("oauth", `--start ${shellWord(start)}`, `--user ${user}`, uri),
      );
    },
  };
}

const verifyPlan: ActPlan = {
  id: "verify",
  title: "Verify the app",
  fields: [text("only", "Only these checks", "", "such as guard, or webhook.signature; empty: all")],
  order: ({ only }) => {
    const names = wordsOf(only);
    const options = names.length === 0 ? {} : { only: names };
    return action("verify", [options], line("verify", ...names.map((name) => `--only ${shellWord(name)}`)));
  },
};

const clockPlan: ActPlan = {
  id: "clock",
  title: "Change the clock",
  fields: [
    choice("verb", "What", ["advance", "set", "freeze", "resume", "reset"]),
    text("value", "By, or to", "2h", "2h, 1h30m, or 2031-05-06T07:08:09Z"),
  ],
  order: ({ verb = "", value = "" }) => {
    const takesValue = verb === "advance" || verb === "set";
    const body = { [verb]: takesValue ? value : true };
    return { path: "/-/clock", body, command: line("clock", verb, takesValue ? shellWord(value) : null) };
  },
};

const faultsPlan: ActPlan = {
  id: "faults",
  title: "Make the platform fail",
  fields: [
    text("add", "Faults", "token=500x2", "such as token=500x2 api=429@25%"),
    { name: "clear", label: "Clear all faults instead", kind: "check", value: "" },
  ],
  order: ({ add, clear }) => {
    if (clear === "yes") return { path: "/-/faults", body: { clear: true }, command: line("fault", "clear") };
    const faults = wordsOf(add);
    if (faults.length === 0) throw new Error("name a fault");
    return { path: "/-/faults", body: { add: faults }, command: line("fault", ...faults.map(shellWord)) };
  },
};

const installPlan: ActPlan = {
  id: "install",
  title: "Install or uninstall",
  fields: [choice("what", "What", ["install", "uninstall"])],
  order: ({ what = "install" }) => action(what, [{}], line(what)),
};

function loginPlan({ domain }: PlatformView): ActPlan {
  return {
    id: "login",
    title: "Walk through a login in the browser",
    fields: [],
    order: () => ({ path: loginPath(domain), body: null, command: line("guard") }),
  };
}

/** Sends a delivery again: the same bytes, re-signed, or with another body. */
export function replayPlan(id: string, body: string): ActPlan {
  return {
    id: "replay",
    title: `Send ${id} again`,
    fields: [
      choice("how", "How", ["the same bytes", "signed again", "with this body"]),
      { name: "body", label: "Body", kind: "json", value: body, hint: "signed again" },
    ],
    order: ({ how, body: edited = "" }) => {
      if (how !== "with this body") {
        const isSigned = how === "signed again";
        return action(
          "replay",
          [id, isSigned ? { resign: true } : {}],
          line("replay", id, isSigned ? "--resign" : null),
        );
      }
      json(edited, "the body");
      const bytes = new TextEncoder().encode(edited);
      const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
      return action("replay", [id, { body: { $bytes: base64 } }], line("replay", id, `--data ${shellWord(edited)}`));
    },
  };
}
