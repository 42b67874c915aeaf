import { describe, expect, it } from "vitest";
import { guardEntry, importEntry, manifestOf, webhookEntry } from "../rig/fake-app.ts";
import { always, jobWith, record, startSimulation } from "../rig/simulation.ts";

const good = {
  guards: [guardEntry("office"), guardEntry("travel")],
  imports: [importEntry("tidy")],
  webhooks: [webhookEntry("news", ["project.translated"])],
};
const string = record("1", "Save");
const imported = { name: "job", job: jobWith([string]) };
const answer = always({ success: true, data: { strings: [string] } });
const refused = { code: "manifest-invalid" };

describe("a module that is declared wrongly", () => {
  it("is a finding of manifest, which shows the other modules", async () => {
    const guards = [{ ...guardEntry("office"), url: "office" }, guardEntry("travel")];
    await using run = await startSimulation({ serves: manifestOf({ ...good, guards }) });
    const { outcome, apps, problems } = await run.sim.manifest();
    expect(outcome).toBe("failed");
    expect(problems).toMatchObject([{ path: "modules.auth-guard[0].url", severity: "error" }]);
    expect(apps[0]).toMatchObject({
      guards: [{ key: "travel" }],
      imports: [{ key: "tidy" }],
      webhooks: [{ key: "news" }],
    });
  });

  it("of a guard lets nobody in: logins are refused, except those that select other guards", async () => {
    const guards = [{ ...guardEntry("office"), url: "office" }, guardEntry("travel")];
    await using run = await startSimulation({ serves: manifestOf({ ...good, guards }), answer });
    await expect(run.sim.guard()).rejects.toMatchObject(refused);
    await expect(run.sim.guard({ modules: ["office"] })).rejects.toMatchObject(refused);
    const { outcome, warnings } = await run.sim.guard({ modules: ["travel"] });
    expect([outcome, warnings]).toEqual([
      "granted",
      [expect.stringMatching(/: modules\.auth-guard\[0\] is not valid, so it is left out: url is "office"/)],
    ]);
  });

  it.each([
    ["without a key", { name: "Office", url: "/office", options: { type: "direct" } }],
    ["with the key of another", { ...guardEntry("travel"), url: "/office" }],
  ])("is named with what is wrong if it may be the guard that is wanted: %s", async (_, office) => {
    const guards = [office, guardEntry("travel")];
    await using run = await startSimulation({ serves: manifestOf({ ...good, guards }), answer });
    await expect(run.sim.guard({ modules: ["office"] })).rejects.toMatchObject({
      ...refused,
      problems: [{ path: expect.stringMatching(/^modules\.auth-guard\[\d\]\.key$/) }],
    });
  });

  it("does not affect imports and deliveries if another module accepts them, with a warning", async () => {
    const imports = [{ ...importEntry("tidy"), url: 7 }, importEntry("polish")];
    const webhooks = [...good.webhooks, { ...webhookEntry("old", []), key: "old" }];
    await using run = await startSimulation({ serves: manifestOf({ ...good, imports, webhooks }), answer });
    const { jobs, warnings } = await run.sim.postImport(imported);
    expect(jobs[0]).toMatchObject({ module: "polish", outcome: "imported" });
    expect(warnings).toEqual([
      expect.stringContaining("modules.file-post-import[0] is not valid, so it is left out"),
      expect.stringContaining("modules.webhook[1] is not valid, so it is left out"),
    ]);
    expect((await run.sim.webhook("project.translated")).outcome).toBe("acknowledged");
  });

  it("is refused with all its faults if it is the only one of its type", async () => {
    const webhooks = [{ key: "news", url: "/news" }];
    await using run = await startSimulation({ serves: manifestOf({ ...good, webhooks }), answer });
    await expect(run.sim.webhook("project.translated")).rejects.toMatchObject({
      ...refused,
      problems: [{ path: "modules.webhook[0].events" }],
    });
    expect((await run.sim.guard()).outcome).toBe("granted");
  });
});
