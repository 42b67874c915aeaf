import { callApp } from "../../app-client/call-app.ts";
import type { SimulatorContext } from "../../platform/context.ts";
import { GUARD_TIMEOUT_MS, IMPORT_LIMIT_BYTES } from "../../protocol/limits.ts";
import type { Interaction } from "../login/interaction.ts";
import type { Trouble } from "../login/login-view.ts";

/**
 * What the page of a frame guard did not do: `no-sdk`, it did not run host.js; `no-report`, it never called
 * `AP.verifyAuth()`, and the time is nearly over.
 */
export type FrameSilence = "no-sdk" | "no-report";

/** Finds out why the page of a frame guard is silent (interface 4.2). */
export async function explainSilence(
  context: SimulatorContext,
  interaction: Interaction,
  silence: FrameSilence,
): Promise<readonly Trouble[]> {
  if (silence === "no-sdk") return inspectPage(context, interaction);
  return [
    {
      reason: "the page loaded host.js, but never called AP.verifyAuth()",
      hint: "call AP.verifyAuth({ code }) or AP.verifyAuth({ error }) when the user is done",
    },
  ];
}

async function inspectPage(context: SimulatorContext, interaction: Interaction): Promise<readonly Trouble[]> {
  const url = await interaction.pageUrl();
  const called = await callApp(context, "guard-page", interaction.guard.key, {
    method: "GET",
    url,
    headers: [
      ["Accept", "text/html"],
      ["Accept-Encoding", "identity"],
    ],
    body: new Uint8Array(),
    timeoutMs: GUARD_TIMEOUT_MS,
    sizeLimit: IMPORT_LIMIT_BYTES["5MiB"],
  });
  if (!called.ok) return [{ reason: `the page cannot be shown: ${called.reason}`, hint: called.hint }];
  const { status, headers, body } = called.answer;
  // Loaded only when needed: it reads HTML.
  const { judgeFramePage } = await import("./judge-frame-page.ts");
  const { origin, pathname } = new URL(url);
  const html = Buffer.from(body).toString("utf8");
  return judgeFramePage({ url: new URL(pathname, origin), status, headers, html }, new URL(context.baseUrl()));
}
