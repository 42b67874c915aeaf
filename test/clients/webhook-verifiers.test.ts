import { verify } from "@octokit/webhooks-methods";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bodyBytes } from "../../src/journal/journal.ts";
import { type AppCall, manifestOf, webhookEntry } from "../rig/fake-app.ts";
import { exchangesOf, onlyCall, startSimulation } from "../rig/simulation.ts";

/** That of the simulator where none is configured. */
const secret = "app-sim-app-secret";
const event = "glossary.changed";
const serves = manifestOf({ webhooks: [webhookEntry("events", [event])] });

/** What GitHub's package verifies: HMAC-SHA256 over the body, hexadecimal, after `sha256=`. */
const likeGitHub = { "webhook.signature.prefix": "sha256=" };

/** An app that acknowledges what the package verifies, by the text of the body as it came. */
async function answerVerified(call: AppCall): Promise<void> {
  const signature = call.header("x-platform-signature");
  const isRight = signature !== undefined && (await verify(secret, call.body.toString(), signature));
  call.send("", { status: isRight ? 204 : 401 });
}

function start() {
  return startSimulation({ serves, answer: answerVerified, choices: likeGitHub });
}

describe("5.1 @octokit/webhooks-methods", () => {
  test.each([
    "👩‍💻 𝔘𠜎",
    "a\u2028b\u2029c",
    "a\ud800b \udfff",
    '"\\" \' `',
    "\u0000\u0001\u001f\u007f",
    "a\r\nb",
    "שלום \u202eمرحبا",
    "\ufeff",
    "</script>&amp;/",
    "ж".repeat(50_000),
  ])("verifies %j, and the received bytes are those in the journal", async (text) => {
    await using run = await start();
    const result = await run.sim.webhook(event, { data: { text } });
    expect(result.outcome).toBe("acknowledged");
    const [exchange] = exchangesOf(run.sim, "webhook");
    const { body } = onlyCall(run.app);
    expect(exchange && bodyBytes(exchange.request.body).equals(body)).toBe(true);
    expect(JSON.parse(body.toString())).toEqual({ events: [{ event, text }] });
  });

  test("verifies a delivery of any text", async () => {
    await using run = await start();
    const text = fc.string({ unit: "binary" }).filter((value) => !value.includes("{{"));
    await fc.assert(
      fc.asyncProperty(text, async (value) => {
        const { outcome } = await run.sim.webhook(event, { data: { text: value } });
        expect(outcome).toBe("acknowledged");
        const exchange = exchangesOf(run.sim, "webhook").at(-1);
        const call = run.app.calls.at(-1);
        expect(exchange && call && bodyBytes(exchange.request.body).equals(call.body)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  test("W1 W2 refuses tampered deliveries, and no others", async () => {
    await using run = await start();
    const tamper = ["body", "signature", "secret", "header"] as const;
    const { outcome, deliveries } = await run.sim.webhook(event, { count: 3, tamper });
    expect(outcome).toBe("refused");
    for (const { tampered, result } of deliveries) expect(result).toBe(tampered === null ? "acknowledged" : "refused");
    expect(deliveries.flatMap(({ tampered }) => tampered ?? []).toSorted()).toEqual([...tamper].toSorted());
  });
});
