import { createHash, X509Certificate } from "node:crypto";
import { expect, it } from "vitest";
import { firstInspectorCode, inspectorLink } from "../../src/serve/inspector-link.ts";
import { chromiumPath, startBrowser } from "../rig/browser.ts";
import { guardStages } from "../rig/simulation.ts";
import { startGuardedApp } from "./guarded-app.ts";

const TOKEN = "a-token-of-128-bits-or-more-that-nobody-can-guess";

it("app-sim's own Chromium trusts the certificate that app-sim made, and walks a frame's page over TLS", async () => {
  await using run = await startGuardedApp(["frame"], { tls: true });
  const browser = { executable: await chromiumPath(), press: "Yes" };
  const result = await run.sim.guard({ page: { browser }, interactionTimeout: 25 });
  expect([result.outcome, result.reason, guardStages(result)]).toMatchObject(["granted", null, [{ result: "passed" }]]);
  expect(run.codes()).toEqual([undefined, "good"]);
});

it("the inspector and a login work in a browser that reaches the platform by its public URL", async () => {
  await using run = await startGuardedApp(["frame"], {
    ...{ tls: true, publicUrl: "https://sim.example.test", controlToken: TOKEN },
  });
  const { sim } = run;
  const key = new X509Certificate(sim.tls?.ca ?? "").publicKey.export({ type: "spki", format: "der" });
  await using browser = await startBrowser([
    `--host-resolver-rules=MAP sim.example.test 127.0.0.1:${new URL(sim.localUrl).port}`,
    `--ignore-certificate-errors-spki-list=${createHash("sha256").update(key).digest("base64")}`,
  ]);
  const page = await browser.newPage();
  page.setDefaultTimeout(20_000);
  const troubles: string[] = [];
  page.on("pageerror", (error) => troubles.push(String(error)));
  page.on("console", (message) => message.type() === "error" && troubles.push(message.text()));

  await page.goto(`${sim.url}/acme/login`);
  await page.getByLabel("Password").fill("app-sim-password");
  await page.getByRole("button", { name: "Log in", exact: true }).click();
  await page.frameLocator("iframe").getByRole("button", { name: "Yes" }).click();
  await page.getByText("Access granted").first().waitFor();
  expect(new URL(page.url()).origin).toBe(sim.url);

  await page.goto(inspectorLink(sim.url, firstInspectorCode(TOKEN)));
  await page.getByRole("treeitem").first().waitFor();
  expect(await page.getByRole("treeitem").allInnerTexts()).toContainEqual(expect.stringContaining("/presence"));
  await page.getByRole("treeitem").filter({ hasText: "/presence" }).first().click();
  expect(troubles).toEqual([]);
});
