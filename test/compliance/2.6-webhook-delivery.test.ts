import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { manifestOf, webhookEntry } from "../rig/fake-app.ts";
import { onlyCall, startSimulation } from "../rig/simulation.ts";

// Interface 2.6 and 6: webhook delivery.

const serves = manifestOf({ webhooks: [webhookEntry("translation-events")] });
const organization = { id: 4711, domain: "example" };

async function delivered(events: string | string[]) {
  await using run = await startSimulation({ serves, answer: (call) => call.send(""), organization });
  await run.sim.webhook(events);
  return onlyCall(run.app);
}

describe("2.6 headers", () => {
  it("are those of the table, spelled as there", async () => {
    const call = await delivered("project.translated");
    const signature = createHmac("sha256", "app-sim-app-secret").update(call.body).digest("hex");
    const own = call.headers.filter(([name]) => !["host", "connection", "content-length"].includes(name.toLowerCase()));
    expect(own).toEqual([
      ["User-Agent", "Platform-Webhook"],
      ["Content-Type", "application/json"],
      ["Accept-Encoding", "identity"],
      ["X-Platform-Id", "4711"],
      ["X-Platform-Domain", "example"],
      ["X-Module-Key", "translation-events"],
      ["X-Platform-Signature", signature],
    ]);
  });
});

describe("2.6 body", () => {
  const fields = { project: { id: "501" }, targetLanguage: { id: "uk" } };

  it("is an events array with the fields shown", async () => {
    const call = await delivered(["project.translated", "project.approved"]);
    expect(call.json()).toEqual({
      events: [
        { event: "project.translated", ...fields },
        { event: "project.approved", ...fields },
      ],
    });
  });

  it("is in bulk form for a single event too", async () => {
    const call = await delivered("project.approved");
    expect(call.json()).toEqual({ events: [{ event: "project.approved", ...fields }] });
  });
});

describe("6 an event", () => {
  it("may have a name that the interface does not show; the result names the choice", async () => {
    const named = manifestOf({ webhooks: [webhookEntry("files", ["file.added"])] });
    await using run = await startSimulation({ serves: named, answer: (call) => call.send("") });
    const result = await run.sim.webhook("file.added");
    expect(result).toMatchObject({ outcome: "acknowledged", choices: expect.arrayContaining(["webhook.events"]) });
    expect(onlyCall(run.app).json()).toMatchObject({ events: [{ event: "file.added", project: { id: "501" } }] });
  });
});
