import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { AppCall, CallHandler } from "../rig/fake-app.ts";
import { byUrl, importing, linesOf, returning } from "../rig/imports.ts";
import { always, bearerOf, jobWith, record } from "../rig/simulation.ts";
import { makeTempDir } from "../rig/temp-dir.ts";

const strings = [record("1", "Save"), record("2", "Open")];
const secret = "app-sim-client-secret-long-enough-for-HS256";
const textsOf = (text: string) => [record("1", text), record("2", "Open")];

/** Imports, and reads what is kept of the answer, in both files. */
async function keeping(answer: CallHandler) {
  using directory = makeTempDir();
  const fixture = directory.write("job.json", jobWith(strings));
  const save = join(directory.path, "saved.json");
  let token = "";
  const noting: CallHandler = (call) => {
    if (call.method === "POST") token = bearerOf(call);
    return answer(call);
  };
  const { result, imported } = await importing(fixture, noting, { save, update: true });
  const kept = [save, join(directory.path, "job.expected.ndjson")].map((file) => readFileSync(file, "utf8"));
  return { fixture, kept, warnings: result.warnings, imported, token };
}

describe("S27 secrets in an app's answer are not saved, neither by --save nor as expected answer", () => {
  let said = "";
  const say = (call: AppCall) => {
    if (call.method === "POST") said = `Bearer ${bearerOf(call)}`;
    return said;
  };
  it.each<[string, CallHandler]>([
    ["its secret in a string", always(returning(textsOf(`Save ${secret}!`)))],
    ["its secret in a file of strings", byUrl(linesOf(textsOf(`Save ${secret}!`)))],
    ["its secret in a key", always(returning([{ ...record("1", "Save"), [secret]: 1 }, strings[1]]))],
    ["its token in a string", (call) => call.reply(returning(textsOf(say(call))))],
    ["its secret in the error", always({ error: { message: `${secret} is wrong` } })],
    ["its token in the error", (call) => call.reply({ error: { message: `${say(call)} is wrong` } })],
  ])("%s", async (_, answer) => {
    const { fixture, kept, warnings, token } = await keeping(answer);
    const signature = token.slice(token.lastIndexOf(".") + 1);
    expect(signature).toMatch(/^[\w-]{20,}$/);
    for (const text of kept) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain(signature);
    }
    expect(warnings).toEqual([`${fixture}: the answer holds a secret or a token, which is not kept`]);
  });

  it("its secret in a preview", async () => {
    const preview = Buffer.from(`<p>${secret}`).toString("base64");
    const { fixture, kept, warnings } = await keeping(always({ data: { ...returning(strings).data, preview } }));
    const [saved = ""] = kept;
    expect(Buffer.from(JSON.parse(saved).jobs[0].answer.preview, "base64").toString()).toBe("<p>‹redacted›");
    expect(warnings).toEqual([`${fixture}: the answer holds a secret or a token, which is not kept`]);
  });

  it("and without a secret, there is no note", async () => {
    const { warnings, kept } = await keeping(always(returning(textsOf("https://a.example/?code=5&token=abc"))));
    expect(warnings).toEqual([]);
    for (const text of kept) expect(text).toContain("https://a.example/?code=5&token=abc");
  });
});
