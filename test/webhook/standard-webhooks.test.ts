import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { type AppCall, manifestOf, webhookEntry } from "../rig/fake-app.ts";
import { startSimulation } from "../rig/simulation.ts";

// The choice webhook.signature.content=id.timestamp.body, against the reference library of Standard Webhooks.

const serves = manifestOf({ webhooks: [webhookEntry("all")] });
const choices = { "webhook.signature.content": "id.timestamp.body" } as const;
const secret = "app-sim-app-secret";
/** As the library takes the bytes of a secret. */
const library = new Webhook(`whsec_${Buffer.from(secret).toString("base64")}`);

function isRight(call: AppCall): boolean {
  try {
    library.verify(call.body, Object.fromEntries(call.headers.map(([name, value]) => [name.toLowerCase(), value])));
    return true;
  } catch {
    return false;
  }
}

/** An app that verifies with the library, on a platform that signs so. */
const started = () =>
  startSimulation({ serves, choices, answer: (call) => call.send("", { status: isRight(call) ? 204 : 401 }) });

describe("webhook.signature.content=id.timestamp.body", () => {
  it("is accepted by the library of Standard Webhooks, which refuses all tampered deliveries", async () => {
    await using run = await started();
    const result = await run.sim.webhook(["project.translated", "project.approved"], { tamper: "all", batch: 1 });
    expect(result).toMatchObject({ outcome: "refused", reason: null });
    const right = result.deliveries.filter(({ tampered }) => tampered === null);
    expect(right.map(({ result }) => result)).toEqual(right.map(() => "acknowledged"));
    const [call] = run.app.calls;
    expect(call?.header("webhook-id")).toBe(result.deliveries[0]?.id);
    expect(call?.header("webhook-signature")).toMatch(/^v1,[A-Za-z0-9+/]{43}=$/);
    expect(call?.header("x-platform-signature")).toBeUndefined();
  });

  it("is signed again by a replay, with the same id", async () => {
    await using run = await started();
    await run.sim.webhook("project.translated");
    const again = await run.sim.replay("last", { resign: true });
    expect(again.outcome).toBe("acknowledged");
    const ids = run.app.calls.map((call) => call.headers.filter(([name]) => name === "webhook-id"));
    expect(ids[1]).toEqual(ids[0]);
  });

  it("is explained with code that accepts the delivery, and with the signed bytes", async () => {
    await using run = await started();
    const { signed, header, timestamp, id, verifiers } = await run.sim.explainSignature("project.translated");
    const [sentId, seconds] = [id?.value ?? "", timestamp?.value ?? ""];
    const body = Buffer.from(signed.base64, "base64").toString().slice(`${sentId}.${seconds}.`.length);
    const lines = { "webhook-id": sentId, "webhook-timestamp": seconds, "webhook-signature": header.value };
    expect(library.verify(body, lines)).toEqual(JSON.parse(body));
    const node = verifiers.find(({ language }) => language === "node")?.code ?? "";
    const { verify } = await import(`data:text/javascript,${encodeURIComponent(node)}`);
    const given = (name: string) => verify(Buffer.from(body), name, seconds, header.value, secret);
    expect([given(sentId), given("another")]).toEqual([true, false]);
    for (const { language, code } of verifiers) expect(code, language).toMatch(/\bid, .*\btimestamp, /);
  });

  it("passes verify with an app that checks it, and fails with one that checks nothing", async () => {
    await using run = await started();
    expect((await run.sim.verify({ only: ["webhook.signature.*"] })).outcome).toBe("passed");
    run.app.answer((call) => call.send("", { status: 204 }));
    expect((await run.sim.verify({ only: ["webhook.signature.*"] })).outcome).toBe("failed");
  });
});
