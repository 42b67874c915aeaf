import { actions, type SimulatorMethods } from "./actions.ts";
import { UsageError } from "./protocol/usage-error.ts";
import { findPortHolder, takenText } from "./serve/port-holder.ts";

type Words = ReadonlyMap<string, string>;
interface AnyAction {
  readonly run?: unknown;
  readonly options?: Readonly<Record<string, { readonly flag?: string }>>;
  readonly command?: { readonly name: string; readonly flags?: Readonly<Record<string, { readonly flag: string }>> };
}

const allActions = Object.entries<AnyAction>(actions as never);

/** Flags of every command, and the library's options for the same settings. */
const ofPlatform: readonly (readonly [flag: string, option: string])[] = [
  ["--app", "app.url"],
  ["--manifest", "app.manifest"],
  ["--allow-origin", "app.fileOrigins"],
  ["--redirect-uri", "app.redirectUris"],
  ["--choose", "choices"],
  ["--profile", "profile"],
  ["--config", "configFile"],
  ["--allow-path", "allowPaths"],
  ["--journal", "journal"],
  ["--port", "port"],
  ["--seed", "seed"],
  ["--press", "page.press"],
  ["--fill", "page.fill"],
];

/** Command lines and flags with values, and how the library says the same. */
const valued: readonly (readonly [written: RegExp, option: string])[] = [
  [/`app-sim config --schema` prints/g, "the type `SimulatorOptions` says"],
  [/--choose ([\w.]+)=([\w-]+)/g, 'choices: { "$1": "$2" }'],
  [/--browser --press ([A-Z]{3,})/g, 'page: { browser: { press: "$1" } }'],
  [/--(press|code|error) ([A-Z]{3,})/g, 'page: { $1: "$2" }'],
  [/such as --press (\w+)/g, 'such as page: { press: "$1" }'],
  [/--press "([^"]*)"/g, 'page: { press: "$1" }'],
  [/--set ([\w.]+)=(\d+)/g, 'set: { "$1": $2 }'],
  [/--redirect-uri[= ](https?:[^\s,;)]+)/g, 'app: { redirectUris: ["$1"] }'],
  [/--press ([\w.-]+)=(\w+)/g, 'page: { press: { "$1": "$2" } }'],
  [/--fill ([\w.:-]+)=(\w+)/g, 'page: { fill: { "$1": "$2" } }'],
  [/--browser(?![\w-])/g, "page: { browser: {} }"],
  [/\? Then --module ([\w.-]+)/g, '? Then modules: ["$1"]'],
  [/--wait-for-user/g, 'page: "wait"'],
];

/** Command lines and the library calls that do the same; others are left unchanged. */
const ofCommands: ReadonlyMap<string, string> = new Map([
  ...allActions.flatMap(([method, { run, command }]) =>
    run === undefined || command === undefined ? [] : [[command.name, `\`sim.${method}()\``] as const],
  ),
  ["env", "`sim.env()`"],
  ["clock", "`sim.clock`"],
  ["clock reset", "`sim.clock.reset()`"],
  ["fault clear", "`sim.oauth.faults.clear()`"],
  ["verify --slow", "`sim.verify({ slow: true })`"],
  ["verify --fuzz 100", "`sim.verify({ fuzz: 100 })`"],
  ["verify --list", "docs/checks.md"],
]);

/** Makes the errors and results of each method name options where those of its command name flags. */
export function inLibraryWords<Methods extends SimulatorMethods>(methods: Methods): Methods {
  const translated = allActions.flatMap(([name, { run, options = {}, command }]) => {
    if (run === undefined) return [];
    const method = methods[name as keyof SimulatorMethods] as (...args: readonly unknown[]) => Promise<unknown>;
    const ofMethod = Object.entries(options).flatMap(([option, { flag = command?.flags?.[option]?.flag }]) =>
      flag === undefined ? [] : [[flag.split(" ", 1)[0] ?? "", option] as const],
    );
    const words = new Map([...ofPlatform, ...ofMethod]);
    return [[name, (...args: readonly unknown[]) => withWords(method(...args), words)] as const];
  });
  return Object.assign(methods, Object.fromEntries(translated));
}

/**
 * @throws the error of a start, with a hint that names the option if a port is taken or a config file does not exist
 */
export async function startInLibraryWords(error: unknown): Promise<never> {
  if (!(error instanceof UsageError)) throw error;
  if (error.code === "config-unreadable" && error.hint.includes("--config")) {
    const hint = "configFile is a path, absolute or relative to the working directory; without it, no file is read";
    throw new UsageError(error.code, error.summary, hint);
  }
  if (error.code !== "port-taken") throw translatedError(error, new Map(ofPlatform));
  throw await portTaken(error);
}

/** Who holds the port: in a test suite it is most often another simulator, in this process or another worker's. */
async function portTaken({ code, summary }: UsageError): Promise<UsageError> {
  const port = Number(/^port (\d+)/.exec(summary)?.[1]);
  const holder = await findPortHolder(port);
  const isOwn = holder?.pid === process.pid;
  const end = isOwn ? "close the simulator or server in this process that uses it" : "end the other program";
  return new UsageError(
    code,
    holder === null ? summary : isOwn ? `port ${port} of 127.0.0.1 is taken by this process` : takenText(port, holder),
    `${end}, or give another port; without the option port, a free one is chosen`,
  );
}

async function withWords<Result>(result: Promise<Result>, words: Words): Promise<Result> {
  try {
    return translatedResult(await result, words) as Result;
  } catch (error) {
    throw error instanceof UsageError ? translatedError(error, words) : error;
  }
}

function translatedError(error: UsageError, words: Words): UsageError {
  const { code, summary, hint, problems } = error;
  const [said, tried] = [inOptions(summary, words), inOptions(hint, words)];
  return said === summary && tried === hint ? error : new UsageError(code, said, tried, problems);
}

/** Members of results that are prose; all others are data. */
const proseMembers: ReadonlySet<string> = new Set(["reason", "hint", "message", "warnings"]);

/**
 * A result whose sentences name options. Values that are not plain data, such as a login in progress, stay as they are.
 */
function translatedResult(value: unknown, words: Words, isProse = false): unknown {
  if (typeof value === "string") return isProse ? inOptions(value, words) : value;
  if (Array.isArray(value)) {
    const elements = value.map((element) => translatedResult(element, words, isProse));
    return elements.every((element, index) => element === value[index]) ? value : elements;
  }
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const changed = Object.entries(value).flatMap(([name, member]) => {
    const translated = translatedResult(member, words, proseMembers.has(name));
    return translated === member ? [] : [[name, translated] as const];
  });
  if (changed.length === 0) return value;
  // A non-enumerable property leads to the exchanges of the result.
  const copy = Object.create(Object.prototype, Object.getOwnPropertyDescriptors(value)) as object;
  for (const [name, member] of changed) Object.defineProperty(copy, name, { value: member, enumerable: true });
  return copy;
}

/** A text with options in place of flags, each with its path; placeholders such as KEY are left out. */
function inOptions(text: string, words: Words): string {
  if (!/--[a-z]|app-sim /.test(text)) return text;
  const withCommands = text.replaceAll(
    /`app-sim ([^`]+)`|^app-sim (\S.*)$/g,
    (whole, quoted?: string, bare?: string) => {
      return ofCommands.get(quoted ?? bare ?? "") ?? whole;
    },
  );
  return valued
    .reduce((said, [written, option]) => said.replaceAll(written, option), withCommands)
    .replaceAll(
      /(?<!`[^`]*)(?<!app-sim [a-z-]+ )(--[a-z]+(?:-[a-z]+)*)(?: [A-Z]+(?:\|[A-Z]+)*\b| (\d+|\/[\w/-]+|https?:\/\/[^\s,;)]+))?/g,
      (whole, flag: string, value?: string) => {
        const option = words.get(flag);
        if (option === undefined) return whole;
        if (flag.startsWith("--no-")) return `${option}: false`;
        return value === undefined ? `the option ${option}` : asValue(option, value);
      },
    );
}

/** `start: "/login"`, `batch: 1`, or `app: { url: "http://…" }`. */
function asValue(option: string, value: string): string {
  const [outer = "", inner] = option.split(".");
  const literal = /^\d+$/.test(value) ? value : `"${value}"`;
  return inner === undefined ? `${outer}: ${literal}` : `${outer}: { ${inner}: ${literal} }`;
}
