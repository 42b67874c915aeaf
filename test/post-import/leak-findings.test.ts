import { describe, expect, it } from "vitest";
import type { ImportJob } from "../../src/index.ts";
import type { CallHandler } from "../rig/fake-app.ts";
import { importing, returning } from "../rig/imports.ts";
import { bearerOf, record } from "../rig/simulation.ts";

const SECRET = "app-sim-client-secret-long-enough-for-HS256";
const strings = [record("1", "Save")];
const trace = "Traceback (most recent call last):\n  File 'import.py', line 3";

/** The findings that a secret leaked into an answer, or into a request of the app for a file. */
async function leaksFoundIn(answer: CallHandler, via: "inline" | "url" = "inline") {
  const { imported } = await importing(strings, answer, { via });
  const checks = ["import.answer.leak", "import.file.credentials"];
  return imported.findings.filter(({ check }) => checks.includes(check)).map(({ message }) => message);
}

const fetching =
  (headers: (call: Parameters<CallHandler>[0]) => Readonly<Record<string, string>>): CallHandler =>
  async (call) => {
    await (await fetch((call.json() as ImportJob).stringsUrl ?? "", { headers: headers(call) })).text();
    call.reply(returning(strings));
  };

describe("a secret that an import reveals is a warning", () => {
  it.each<[string, CallHandler, string[]]>([
    ["an error with its token", (call) => call.reply({ error: { message: `no job in ${bearerOf(call)}` } }), ["token"]],
    ["a server error with a secret", (call) => call.reply({ key: SECRET }, { status: 500 }), ["client secret"]],
    ["an error with a stack trace", (call) => call.reply({ error: { message: trace } }), ["stack trace"]],
    [
      "a header with a secret",
      (call) => call.reply(returning(strings), { headers: { "x-key": btoa(SECRET) } }),
      ["client secret"],
    ],
    [
      "an error about a line of the user's file",
      (call) => call.reply({ error: { message: 'File "strings.xml", line 3: no key' } }),
      [],
    ],
    ["nothing", (call) => call.reply({ error: { message: "Line 3 has no key." } }), []],
    ["strings about stack traces", (call) => call.reply(returning([record("1", trace)])), []],
  ])("%s", async (_, answer, holds) => {
    expect(await leaksFoundIn(answer)).toEqual(holds.map((what) => expect.stringMatching(`^the .*holds .*${what}$`)));
  });

  it.each<[string, CallHandler, string[]]>([
    [
      "a request for a file with the client's credentials",
      fetching(() => ({ authorization: `Basic ${btoa(`app-sim-client:${SECRET}`)}` })),
      ["the app's request for a file holds the client secret"],
    ],
    // The platform knows this token: it has just issued it.
    [
      "a request for a file with the token of the job",
      fetching((call) => ({ authorization: `Bearer ${bearerOf(call)}` })),
      [],
    ],
    ["a plain request for a file", fetching(() => ({})), []],
  ])("%s", async (_, answer, expected) => {
    expect(await leaksFoundIn(answer, "url")).toEqual(expected);
  });
});
