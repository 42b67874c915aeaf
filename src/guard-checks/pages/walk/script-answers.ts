import type { Page, Request } from "playwright-core";

/** Keeps the answers that scripts get: Chromium forgets them when the page is left, often before they can be read. */
export async function keepScriptAnswers(page: Page): Promise<(request: Request) => Buffer | null> {
  const kept = new Map<string, Buffer[]>();
  const session = await page.context().newCDPSession(page);
  const keep = (name: string, body: Buffer) => kept.set(name, [...(kept.get(name) ?? []), body]);
  session.on("Fetch.requestPaused", async ({ requestId, request: { method, url } }) => {
    const answered = await session.send("Fetch.getResponseBody", { requestId }).catch(() => null);
    if (answered !== null) {
      keep(`${method} ${url}`, Buffer.from(answered.body, answered.base64Encoded ? "base64" : "utf8"));
    }
    await session.send("Fetch.continueRequest", { requestId }).catch(() => null);
  });
  const patterns = (["XHR", "Fetch"] as const).map((resourceType) => ({
    urlPattern: "*",
    requestStage: "Response" as const,
    resourceType,
  }));
  await session.send("Fetch.enable", { patterns });
  return (request) => kept.get(`${request.method()} ${request.url()}`)?.shift() ?? null;
}
