import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withoutSecrets } from "../../src/output/without-secrets.ts";
import { guardEntry, importEntry, manifestOf, startFakeApp, webhookEntry } from "../rig/fake-app.ts";
import { always, assemble, jobWith, record } from "../rig/simulation.ts";

// S27: whatever an app makes of a secret, no result shows it.

const secret = "s3cret-of-the-app";
const secrets = [secret];
const token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlLW9mLWl0";

/** The four results of an app that tells the secret wherever it can. */
async function tellingResults(): Promise<unknown[]> {
  await using app = await startFakeApp();
  app.manifest = manifestOf({
    guards: [{ ...guardEntry("office"), key: `office ${secret}`, name: secret, description: token }],
    imports: [{ ...importEntry("tidy"), key: secret, signaturePatterns: { fileName: `(${secret})?` } }],
    webhooks: [{ ...webhookEntry("events", ["project.approved", secret]), key: `hook ${secret}` }],
  });
  const told = record(secret, secret, {
    identifier: token,
    labels: [secret],
    attributes: { type: secret, id: { choices: token } },
    translations: { [secret]: { text: secret } },
  });
  app.answer(always({ success: false, message: `no, ${secret} ${token}`, data: { strings: [told, told] } }));
  const sim = await assemble({ app: { url: app.url, clientSecret: secret } });
  const job = jobWith([record(secret, "Save")]);
  const login = await sim.guard();
  const doubled = await sim.postImport({ name: secret, job });
  app.answer(always({ data: { strings: [told] } }));
  const imported = await sim.postImport({ name: "job", job });
  app.answer((call) => call.send("", { status: 302, headers: { location: `/login?x=${secret}` } }));
  return [login, doubled, imported, await sim.webhook([secret, "file.added"]), await sim.manifest()];
}

describe("withoutSecrets", () => {
  it("hides secret and signature in every result of an app that repeats them, and keeps the shape", async () => {
    for (const result of await tellingResults()) {
      expect(JSON.stringify(result)).toContain(secret);
      const shown = withoutSecrets(result, secrets);
      expect(JSON.stringify(shown)).not.toContain(secret);
      expect(JSON.stringify(shown)).not.toContain("c2lnbmF0dXJlLW9mLWl0");
      expect(namesIn(shown)).toEqual(namesIn(result));
    }
  });

  it("keeps app-sim's own values, on which programs rely, whatever the secrets are", async () => {
    await using app = await startFakeApp({ manifest: manifestOf({ guards: [guardEntry("office")] }) });
    app.answer(always({ success: false, message: "denied" }));
    const sim = await assemble({ app: { url: app.url, clientSecret: "a client secret", appSecret: "an app secret" } });
    const shown = withoutSecrets(await sim.guard(), ["denied", "guard"]);
    expect(shown).toMatchObject({ command: "guard", outcome: "denied", reason: "‹redacted›" });
    expect(shown.choices).toContain("guard.jwt.key");
    expect(shown.stages.at(-1)).toMatchObject({ stage: "guard", result: "denied", type: "direct" });
  });

  it("leaves anything without a secret unchanged", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        fc.pre(!/secret|eyJ/.test(JSON.stringify(value)));
        expect(withoutSecrets({ reason: value }, secrets)).toEqual({ reason: value });
      }),
    );
  });
});

/** Names of members and lengths of arrays. */
function namesIn(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return null;
  return Object.entries(value).map(([name, child]) => [name, namesIn(child)]);
}
