import { createHmac } from "node:crypto";
import { type CallHandler, type FakeApp, manifestOf, startFakeApp, webhookEntry } from "./fake-app.ts";
import { callApi, garden, refresh, type TokenAnswer, tokensOf } from "./oauth.ts";

/** An app that fetches its projects from the platform whenever it hears of an event. */
export interface CallingApp extends FakeApp {
  /**
   * From now on it fetches, as soon as it has these tokens. It refreshes them when they are refused, and tries again
   * when the platform is out of order.
   */
  connect(platform: { readonly url: string }, tokens: TokenAnswer | Promise<TokenAnswer>): void;
}

/**
 * Starts it as `garden`, which acknowledges what is signed with its secret, and refuses the rest.
 * @param when whether it has fetched them when it acknowledges the event, or begins then
 */
export async function startCallingApp(when: "before" | "afterwards" = "afterwards"): Promise<CallingApp> {
  const app = await startFakeApp({ manifest: manifestOf({ webhooks: [webhookEntry("hook")] }) });
  let fetchProjects = async () => {};
  const take: CallHandler = async (call) => {
    const signature = createHmac("sha256", garden.appSecret).update(call.body).digest("hex");
    if (call.header("x-platform-signature") !== signature) return call.send("", { status: 401 });
    if (when === "before") await fetchProjects();
    call.send("", { status: 204 });
    if (when === "afterwards") await fetchProjects();
  };
  app.answer(take);
  return {
    ...app,
    connect(platform, tokens) {
      let current = tokens;
      fetchProjects = async () => {
        const { access_token: access, refresh_token: next } = await current;
        const { status } = await callApi(platform, access);
        if (status === 503) await callApi(platform, access);
        if (status !== 401) return;
        current = tokensOf(await refresh(platform, next));
        await callApi(platform, current.access_token);
      };
    },
  };
}
