const secretInVariable = (name: string) =>
  [
    /^--(app-?|client-?|webhook-?|signing-?)?secret$/,
    `set the environment variable ${name}: others can read a command line`,
  ] as const;

const noUser = [/^--(user|as)$/, "a delivery has no user: --set changes the fields of its events"] as const;

/** What other programs call an option, by command, and what to use here. */
const wordsOfOthers: Readonly<Record<string, readonly (readonly [written: RegExp, here: string])[]>> = {
  verify: [
    [/^--(fail-?fast|exit-?first|stop-on-fail(ure)?)$/, "--bail ends the run at the first check that fails"],
    [/^--(exclude|ignore|except|without)$/, "--skip leaves checks out: ids, areas or patterns"],
    [/^--(strict|max-warnings|fail-on-warn(ing)?s?)$/, "--fail-on warn lets a warning fail the run"],
    [/^--(ci|no-interactive|non-interactive|yes)$/, "verify asks nobody anything; --format junit is a report for CI"],
    [/^--(filter|grep|tags?|include|test)$/, "--only names the checks to run: ids, areas or patterns"],
  ],
  webhook: [noUser, secretInVariable("APP_SIM_APP_SECRET")],
  load: [
    noUser,
    secretInVariable("APP_SIM_APP_SECRET"),
    [/^(-n|--(requests|number|deliveries|iterations|total))$/, "--count N sends that many deliveries"],
    [
      /^(-c|-u|--(users|vus|threads|workers|clients|parallel))$/,
      "--concurrency N uses that many senders, each of which waits for its answer",
    ],
    [/^(-r|--(rps|qps|tps|arrival-?rate))$/, "--rate N sends that many deliveries a second"],
    [/^(-z|--(time|for))$/, "--duration says how long to send, such as 30s"],
    [/^--(threshold|assert)s?$/, '--expect says what the load must reach, such as "p99<250ms"'],
  ],
  log: [
    [
      /^(-n|-[0-9]+|--(tail|lines|limit|head|count|number))$/,
      "--last N shows the newest N records, --follow each new one as it comes",
    ],
  ],
  oauth: [secretInVariable("APP_SIM_CLIENT_SECRET")],
  token: [
    secretInVariable("APP_SIM_CLIENT_SECRET"),
    [/^--(for|aud|audience|type|guard)$/, "--module KEY names the module that the token is for"],
    [/^--(sub|subject)$/, "--user ROLE names the user that the token is about"],
  ],
  guard: [
    secretInVariable("APP_SIM_CLIENT_SECRET"),
    [
      /^--(explore|attacks?|negative)$/,
      "`app-sim verify --only guard` tests what the app must refuse, one thing at a time",
    ],
  ],
};

/** The equivalent here of another program's option; null if none is known. */
export function wordOfOthers(command: string, option: string): string | null {
  const [name = ""] = option.split("=", 1);
  return wordsOfOthers[command]?.find(([written]) => written.test(name))?.[1] ?? null;
}

/** A hint for other programs' options for an output file; null if the option is something else. */
export function outputHint(option: string, next: string | undefined): string | null {
  const [name = "", given = next] = option.split("=");
  if (!/^(-o|--(out|output|output-?file|report-?file|out-?file))$/i.test(name)) return null;
  const file = given === undefined || given.startsWith("-") ? "FILE" : given;
  return `the result goes to stdout: > ${file}`;
}
