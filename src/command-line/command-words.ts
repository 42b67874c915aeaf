/** What similar tools call their commands, and what to use here. */
const wordsOfOthers: readonly (readonly [words: readonly string[], here: string])[] = [
  [
    ["login", "signin", "auth"],
    "`app-sim guard` logs a user in through your guards, `app-sim oauth` logs in to your app",
  ],
  [["authorize"], "`app-sim oauth` logs a user in to your app"],
  [
    ["listen", "forward", "tunnel", "proxy"],
    "`app-sim serve` keeps the platform running; `app-sim webhook EVENT` delivers events to your app",
  ],
  [
    ["status", "ping", "health", "info", "version"],
    "`app-sim doctor` checks whether everything is in place, `app-sim --version` prints the version",
  ],
  [
    ["deploy", "publish", "push"],
    "app-sim runs only on this machine and deploys nothing: `app-sim serve` is the platform, your app runs alongside it",
  ],
  [["install", "setup", "create", "new", "configure"], "`app-sim init` sets app-sim up in your app's folder"],
  [["stop", "kill", "down", "shutdown"], "Ctrl-C ends `app-sim serve`, in the terminal where it runs"],
  [["start"], "`app-sim serve` keeps the platform running, `app-sim demo` shows everything once"],
  [["server", "up", "mock", "stub", "fake", "simulate"], "`app-sim serve` keeps the platform running"],
  [
    ["trigger", "send", "emit", "deliver", "event", "events"],
    "`app-sim webhook EVENT` delivers an event, such as project.translated",
  ],
  [
    ["call", "request"],
    "`app-sim guard` calls your guards, `app-sim post-import FILE` your post-import modules, `app-sim webhook EVENT` your webhook modules",
  ],
  [["resend"], "`app-sim replay ID` sends a recorded delivery again"],
  [["import", "upload"], "`app-sim post-import FILE` imports the strings of a fixture"],
  [["tail", "watch", "follow"], "`app-sim log --follow` shows every exchange as it happens"],
  [["logs", "history", "ls", "list", "requests"], "`app-sim log` lists every exchange"],
  [["open", "ui", "dashboard", "browser"], "`app-sim inspect` opens the inspector, which shows every exchange"],
  [["curl"], "`app-sim log last --curl` prints the last request as a curl command"],
  [["test", "check"], "`app-sim verify` tests whether your app checks what it must"],
  [["validate", "lint"], "`app-sim manifest` shows what is wrong with the manifest, `app-sim verify` with the app"],
  [["play"], "`app-sim run FILE` plays a scenario"],
  [["time"], "`app-sim clock` sets the platform's time"],
  [["stress"], "`app-sim load` measures your webhook handler"],
  [
    ["secret", "secrets", "credentials", "keys", "variables"],
    "`app-sim env` prints the secrets and addresses that your app needs",
  ],
  [
    ["sign", "signature", "hmac"],
    "`app-sim webhook EVENT --explain` signs an event step by step, `app-sim token` prints a signed JWT",
  ],
  [["jwt"], "`app-sim token` prints a JWT like those that the platform sends to a module"],
];

/** What to use here in place of a command that other programs have; null if none is known. */
export function commandOfOthers(word: string): string | null {
  return wordsOfOthers.find(([words]) => words.includes(word))?.[1] ?? null;
}
