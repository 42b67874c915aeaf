import { describe, expect, it } from "vitest";
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

describe("flags with a duration", () => {
  const program = buildProgram("0.0.0", async () => {});
  const timed = [program, ...program.commands].flatMap((command) =>
    command.options.filter(({ flags }) => /<(?:duration|seconds|ms)>/.test(flags)),
  );

  it("are these, and all show <duration>", () => {
    expect(timed.map(({ flags }) => flags).sort()).toEqual([
      "--delay <duration>",
      "--duration <duration>",
      "--interaction-timeout <duration>",
      "--timeout <duration>",
      "--wait <duration>",
    ]);
  });

  it.each(timed.filter(({ long }) => long !== "--delay").map((option) => ({ flag: option.flags, option })))(
    "$flag accepts durations, and plain numbers as seconds, and says so",
    ({ option: { description, parseArg } }) => {
      expect(description).toContain("a plain number means seconds");
      const read = (text: string) => parseArg?.(text, undefined);
      expect([read("1m30s"), read("90")].map((value) => (value === "1m30s" ? "90" : value))).toEqual(
        Array(2).fill(typeof read("90") === "string" ? "90" : 90_000),
      );
      expect(() => read("2sec")).toThrow("Did you mean 2s?");
      expect(() => read("soon")).toThrow("Expected a duration such as 30s, 500ms or 1m30s, or a number of seconds.");
    },
  );
});
