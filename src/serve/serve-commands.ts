import type { Declare, MakeAction } from "../command-line/declaring.ts";
import {
  addClockArguments,
  addPrefixFlag,
  addServeFlags,
  type ClockAction,
  execHelp,
  faultsHelp,
  type PrefixFlag,
  type ServeFlags,
  serveSettings,
} from "./serve-flags.ts";

/** Declares the commands around a platform that stays up: serve, exec, clock, fault. */
export function declareServing(declare: Declare, action: MakeAction): void {
  addServeFlags(
    declare(
      "serve",
      "keep the platform up: OAuth server, REST API, login pages, guard callback",
      [
        "app-sim serve --redirect-uri http://127.0.0.1:3000/callback",
        "app-sim serve --consent approve --fault token=500x2 --fault api=429@25%",
        "app-sim serve --config team.config.json --wait 30",
        "app-sim serve --format json     # a JSON object per line",
      ],
      faultsHelp,
    ),
  ).action(
    action<ServeFlags>(
      async (invocation, flags) => (await import("./command.ts")).serve(invocation, flags),
      serveSettings,
    ),
  );

  addPrefixFlag(
    addServeFlags(
      declare(
        "exec",
        "run a command with a platform of its own, and with its addresses and secrets",
        [
          "app-sim exec -- npm test",
          "app-sim exec --consent approve --prefix ACME_ -- node test/login.js",
          "app-sim exec -- sh -c 'app-sim clock advance 2h && npm test'",
        ],
        execHelp,
      ),
    ).argument("<command...>", "after --: the command and its arguments"),
  ).action(
    action<ServeFlags & PrefixFlag>(
      async (invocation, flags, command) => (await import("./exec-command.ts")).exec(invocation, flags, command),
      serveSettings,
    ),
  );

  addClockArguments(
    declare("clock", "turn the clock of a running app-sim serve: codes and tokens expire by it", [
      "app-sim clock",
      "app-sim clock advance 2h",
      "app-sim clock set 2031-05-06T07:08:09Z",
      "app-sim clock freeze     # and app-sim clock resume",
      "app-sim clock reset --port 7411",
    ]),
  ).action(
    action(async (invocation, _, [verb, value]) =>
      (await import("./clock-command.ts")).clock(invocation, verb as ClockAction | undefined, value),
    ),
  );

  declare(
    "fault",
    "make a running app-sim serve go wrong, for the app's error handling",
    ["app-sim fault token=500x2 api=429@25%", "app-sim fault list", "app-sim fault clear"],
    faultsHelp,
  )
    .argument("[fault...]", "faults to add; or list (the default), or clear")
    .action(action(async (invocation, _, words) => (await import("./fault-command.ts")).fault(invocation, words)));
}
