import { expect, it } from "vitest";
import { buildProgram, type ParsedCommand } from "../../src/command-line/program.ts";

/** What the command line makes of arguments. */
async function parse(...args: string[]): Promise<ParsedCommand> {
  let parsed: ParsedCommand | undefined;
  const program = buildProgram("0.0.0", async (command) => {
    parsed = command;
  });
  await program.parseAsync(args, { from: "user" });
  if (parsed === undefined) throw new Error("no command was run");
  return parsed;
}

it.each<[args: string[], settings: object]>([
  [["run", "a.yml", "--user", "admin"], { user: "admin" }],
  [["guard", "--mfa", "--ip", "2001:db8::7"], { mfa: "true", ip: "2001:db8::7" }],
  [
    ["post-import", "a.json", "--allow-origin", "http://a", "--allow-origin", "http://b"],
    { allowOrigin: ["http://a", "http://b"] },
  ],
  [["oauth", "--start", "/login", "--user", "owner"], { consent: "ask", user: "owner" }],
  [
    ["--port", "7411", "webhook", "a", "--choose", "webhook.ids=numbers"],
    { port: "7411", choose: ["webhook.ids=numbers"] },
  ],
])("%j decide these settings: %j", async (args, settings) => {
  expect((await parse(...args)).settings).toEqual(settings);
});
