import { existsSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { runCli } from "../rig/cli.ts";
import { runLine } from "../rig/line.ts";
import { makeTempDir } from "../rig/temp-dir.ts";

const hints: [line: string[], says: string][] = [
  [["listen"], "`app-sim serve` keeps the platform running"],
  [["guard", "--explain", "--press", "accept"], "\nhint: leave out one of them\n"],
  [["guard", "--explain", "--expect", "denied"], "\nhint: leave out one of them\n"],
  [["verify", "--list", "--watch"], "\nhint: leave out one of them\n"],
  [["guard", "network"], "\nhint: use a flag: --module network\n"],
  [["guard", "network", "manager", "terms"], "\nhint: use flags: --module network terms --user manager\n"],
  [["verify", "guard", "webhook"], "\nhint: use flags: --only guard --only webhook\n"],
  [["guard", "203.0.113.9"], "\nhint: use a flag: --ip 203.0.113.9\n"],
  [["guard", "verify"], "\nhint: one command at a time: app-sim verify\n"],
  [["oauth", "guard"], "\nhint: one command at a time: app-sim guard\n"],
  [["config", "set", "app.url", "http://127.0.0.1"], "has no action set\nhint: change app.url in the config file;"],
  [["config", "get", "app.url"], "error: config has no action get\nhint: app-sim config app.url\n"],
  [["log", "--failed", "yes"], '\nhint: leave out "yes" or the other flags; --failed and --follow take no value\n'],
  [["guard", "--IP", "1.2.3.4"], "error: unknown option '--IP'. Did you mean --ip?\n"],
  [["guard", "--ipaddress", "1.2.3.4"], "error: unknown option '--ipaddress'. Did you mean --ip?\n"],
  [["guard", "--ip-address=1.2.3.4"], "Did you mean --ip?\n"],
  [["guard", "--interactionTimeout", "5"], "Did you mean --interaction-timeout?\n"],
  [["webhook", "project.translated", "--secret", "x"], "hint: set the environment variable APP_SIM_APP_SECRET: "],
  [["post-import", "--fixture", "job.json"], "it is an argument, not an option: app-sim post-import job.json\n"],
  [
    ["guard", "--user", "mangaer"],
    'error: --user cannot be mangaer. Did you mean "manager"?\nhint: allowed: owner, admin, manager, member, outsider\n',
  ],
  [["guard", "--ip", "nowhere"], "error: --ip cannot be nowhere\nhint: expected an IPv4 or IPv6 address\n"],
  [
    ["webhook", "project.translated", "--drop", "25"],
    "error: --drop cannot be 25. Did you mean 25%?\nhint: expected a share such as 0.1 or 10%\n",
  ],
  [["guard", "--expect", "maybe"], "error: --expect cannot be maybe\nhint: allowed: granted, denied, refused\n"],
  [["guard", "manager"], "\nhint: use a flag: --user manager\n"],
  [["token", "manager"], "\nhint: use a flag: --module manager\n"],
  [["env", "shell"], "\nhint: use a flag: --format shell\n"],
  [["manifest", "http://127.0.0.1:3000"], "\nhint: use a flag: --app http://127.0.0.1:3000\n"],
  [["manifest", "m.json"], "\nhint: use a flag: --manifest m.json\n"],
  [["serve", "7000"], "\nhint: use a flag: --port 7000\n"],
  [["oauth", "/login"], "\nhint: use a flag: --start /login\n"],
  [["oauth", "--user", "admin", "/login"], "\nhint: use a flag: --start /login\n"],
  [
    ["--module", "network", "guard", "--user", "admin"],
    "error: --module is an option of guard, but comes before it\nhint: options of a command follow its name: app-sim guard --module network --user admin\n",
  ],
  [
    ["--press", "accept", "--user=the boss"],
    "error: --press is an option of a command, but no command was given\nhint: it belongs to guard, after the name: app-sim guard --press\n",
  ],
  [
    ["oauth", "--watch"],
    "unknown option '--watch'\nhint: it is an option of guard, post-import, webhook, verify and others; `app-sim oauth --help`",
  ],
  [["guard", "-u", "member"], "unknown option '-u'\nhint: write options in full: did you mean --user?"],
  [["--nonsense", "guard"], "unknown option '--nonsense'"],
  [
    ["webhook", "--event", "project.translated"],
    "it is an argument, not an option: app-sim webhook project.translated",
  ],
  [["post-import", "--file=job.json"], "it is an argument, not an option: app-sim post-import job.json"],
  [
    ["run"],
    "missing required argument 'file'\nhint: for example app-sim run fixtures/scenarios/translation-round.yml;",
  ],
  [["completion"], "\nhint: it is one of bash, zsh, fish, powershell\n"],
  [["report"], "\nhint: for example app-sim report --out report.html;"],
  [["log", "--id", "abc"], "it is an argument, not an option: app-sim log abc"],
  [
    ["exec", "node", "-e", "x"],
    "error: -e comes after node, the command that exec runs\nhint: put -- before the command, so that its options are its own: app-sim exec -- node -e …\n",
  ],
  [["exec", "npm", "--version"], "so that its options are its own: app-sim exec -- npm --version; options of app-sim"],
  [["exec", "npm", "test", "--help"], "so that its options are its own: app-sim exec -- npm test --help\n"],
  [["dev", "--port=0", "vite", "--port", "5173"], "app-sim dev --port=0 -- vite --port …; options of app-sim go"],
  [
    ["dev", "--prefix", "X_", "node", "-v"],
    "hint: put -- before the command, so that its options are its own: app-sim dev --prefix X_ -- node -v\n",
  ],
  [["exec", "-e", "x"], "hint: options of a program follow its name, after --: app-sim exec -- node -e …\n"],
  [["exec", "--nonsense", "npm", "test"], "hint: `app-sim exec --help` shows what is allowed\n"],
  [["exec", "--nonsense", "--", "npm", "test"], "hint: `app-sim exec --help` shows what is allowed\n"],
  [["env", "prod"], "\nhint: env takes no argument: --format is dotenv, json, shell, powershell; --profile names"],
  [["secret"], "hint: `app-sim env` prints the secrets"],
  [["jwt"], "hint: `app-sim token` prints a JWT"],
  [["-V"], "hint: `app-sim --version` prints the version\n"],
  [["webhook", "project.translated", "-count", "3"], "hint: it begins with two hyphens: --count\n"],
  [
    ["webhook", "project.translated—count", "3"],
    "error: project.translated—count contains a long dash; options begin with hyphens\nhint: write two hyphens: app-sim webhook project.translated --count\n",
  ],
  [["webhook", "–count=3"], "hint: write two hyphens: app-sim webhook --count\n"],
  [["post-import", "job.json", "--user", "manager"], "hint: post-import uses --as: a role, such as manager"],
  [["guard", "--as", "manager"], "hint: guard uses --user:"],
  [["oauth", "--diagnose"], "hint: it is an option of webhook; `app-sim oauth --help` shows those of oauth\n"],
  [["verify", "--onyl", "webhook"], "error: unknown option '--onyl'. Did you mean --only?\n"],
  [["clock", "advance", "-2h"], "hint: advance only moves the clock forward: `app-sim clock set TIME`"],
  [["clock", "advance", "2", "hours"], "hint: a duration is written without spaces: app-sim clock advance 2h\n"],
  [
    ["guard", "--expect", "deny"],
    'error: --expect cannot be deny. Did you mean "denied"?\nhint: allowed: granted, denied, refused\n',
  ],
  [["guard", "--choose", "guard.jwt.alg=RS256"], 'Did you mean "guard.jwt.algorithm"?'],
  [["deliver"], "hint: `app-sim webhook EVENT` delivers an event"],
  [["call"], "hint: `app-sim guard` calls your guards"],
  [["proxy"], "hint: `app-sim serve` keeps the platform running"],
  [["mock"], "hint: `app-sim serve` keeps the platform running"],
  [["curl"], "hint: `app-sim log last --curl` prints"],
  [
    ["guard", "/guards/network"],
    "hint: use a flag: --module KEY, the key of the module in the manifest, not its url\n",
  ],
  [["guard", "--json"], "hint: --format json\n"],
  [["guard", "-o", "json"], "hint: --format json\n"],
  [["verify", "--reporter=junit"], "hint: --format junit\n"],
  [["guard", "--reporter", "junit"], "error: unknown option '--reporter'\nhint: junit is a format of: verify\n"],
  [["guard", "--reporter", "dots"], "hint: `app-sim guard --help` shows what is allowed\n"],
  [
    ["--usr", "member", "guard"],
    "error: unknown option '--usr'. Did you mean --user?\nhint: options of a command follow its name: app-sim guard --user member\n",
  ],
  [["--usr=member", "guard"], "hint: options of a command follow its name: app-sim guard --user=member\n"],
  [
    ["verify", "--format", "junit", "-o", "x.xml"],
    "error: unknown option '-o'\nhint: the result goes to stdout: > x.xml\n",
  ],
  [["verify", "--out=x.xml"], "hint: the result goes to stdout: > x.xml\n"],
  [["verify", "-o", "junit"], "hint: --format junit\n"],
  [["fixture", "en.json", "-o", "dir"], "hint: write options in full: did you mean --out?"],
  [
    ["token", "--for", "network"],
    "error: unknown option '--for'\nhint: --module KEY names the module that the token is for\n",
  ],
  [["log", "--tail"], "unknown option '--tail'\nhint: --last N shows the newest N records, --follow each new one"],
  [["log", "-n", "5"], "hint: --last N shows the newest N records"],
  [["help", "gaurd"], "error: unknown command 'gaurd'. Did you mean \"guard\"?\n"],
  [["verify", "--fail-fast"], "hint: --bail ends the run at the first check that fails\n"],
  [["verify", "--exclude", "webhook"], "hint: --skip leaves checks out"],
  [["verify", "--strict"], "hint: --fail-on warn lets a warning fail the run\n"],
  [["verify", "--ci"], "hint: verify asks nobody anything; --format junit is a report for CI\n"],
  [["load", "project.translated", "-n", "10"], "hint: --count N sends that many deliveries\n"],
  [["load", "project.translated", "--rps=10"], "hint: --rate N sends that many deliveries a second\n"],
  [["load", "project.translated", "--vus", "10"], "hint: --concurrency N uses that many senders"],
  [["load", "project.translated", "-c", "2"], "hint: --concurrency N uses that many senders"],
  [["guard", "--explore"], "hint: `app-sim verify --only guard` tests what the app must refuse"],
  [["guard", "help"], "hint: app-sim guard --help\n"],
  [["guard", "--no-color"], "error: unknown option '--no-color'\nhint: `--color never` turns colours off\n"],
  [["--no-colour", "guard"], "hint: `--color never` turns colours off\n"],
  [
    ["post-import", "job.json", "--module", "tidy"],
    "hint: you can only select files: the manifest's signaturePatterns decide",
  ],
  [
    ["fixture", "en.json", "--language=xx"],
    "hint: --source sets the language of the source texts, --translations LANGUAGE=",
  ],
  [["post-import", "job.json", "--language", "uk"], "hint: the fixture names its languages: sourceLanguage, target"],
  [
    ["load", "project.translated", "--locale", "uk"],
    "hint: the language of an event is one of its fields: --set target",
  ],
  [["guard", "--lang", "uk"], "hint: a login has no language; --explain takes a programming language\n"],
  [["oauth", "--lang", "uk"], "hint: `app-sim oauth --help` shows what is allowed\n"],
  [["clock", "--advance", "1h"], "hint: it is an argument, not an option: app-sim clock advance 1h\n"],
  [["clock", "--set=2031-05-06"], "hint: it is an argument, not an option: app-sim clock set 2031-05-06\n"],
  [["fault", "--clear"], "hint: it is an argument, not an option: app-sim fault clear\n"],
  [
    ["fault", "token=500", "--times", "2"],
    "hint: the number of times is part of the fault: app-sim fault token=500x2\n",
  ],
  [["clock", "2h30"], "hint: app-sim clock advance 2h30m\n"],
  [["clock", "1.5h"], "hint: app-sim clock advance 2h, or another duration, such as 90s or 1h30m\n"],
  [["fault", "token:500"], 'error: fault "token:500": there is no =\nhint: token=500\n'],
  [["fault", "token=500,api=500"], "pass each fault as a separate argument\nhint: token=500 api=500\n"],
  [["fault", "off"], 'error: off is not a fault. Did you mean "clear"?\n'],
  [["fault", "show"], 'error: show is not a fault. Did you mean "list"?\n'],
  [["clock", "+1h"], "hint: app-sim clock advance 1h\n"],
  [["clock", "forward", "1h"], 'error: clock forward: there is no such action. Did you mean "advance"?\n'],
  [["fault", "token", "500"], "hint: app-sim fault token=500\n"],
  [["fault", "api=429", "token", "500x2"], "hint: app-sim fault api=429 token=500x2\n"],
  [["completion", "tcsh"], "error: shell tcsh is not known\nhint: allowed: bash, zsh, fish, powershell\n"],
];

it("a wrong command line gets a hint about what accepts the wrong word", async () => {
  const told = await Promise.all(hints.map(async ([line]) => (await runLine(line)).stderr));
  for (const [index, [, says]] of hints.entries()) expect(told[index]).toContain(says);
});

it("a long dash in the arguments of another program, or in a file name, is not an option", async () => {
  using directory = makeTempDir();
  directory.write("notes–edition", "{}");
  const lines = [
    ["exec", "--", "/nowhere/program", "all of it—quiet —app"],
    ["post-import", path.join(directory.path, "notes–edition")],
  ];
  for (const line of lines) {
    const { stderr } = await runLine(line, { cwd: directory.path });
    expect(stderr).not.toContain("long dash");
  }
});

it("an example names an existing file, wherever app-sim is installed", async () => {
  using directory = makeTempDir();
  const cwd = directory.path;
  const { stderr } = await runCli(["run"], { cwd });
  const [, file = ""] = /for example app-sim run (\S+);/.exec(stderr.replaceAll(/\n\s*/g, " ")) ?? [];
  expect(path.basename(file)).toBe("translation-round.yml");
  expect(existsSync(path.resolve(cwd, file))).toBe(true);
});
