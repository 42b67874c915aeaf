import { createHmac } from "node:crypto";
import { type AppCall, type FakeApp, manifestOf, startFakeApp, webhookEntry } from "./fake-app.ts";
import { authorizeUrl, callApi, exchange, garden, pkcePair, refresh, type TokenAnswer, tokensOf } from "./oauth.ts";

/** An app that fetches its projects from the platform whenever it hears of an event. */
export interface CallingApp extends FakeApp {
  /** Where its users come back to who log in at `/login`. */
  readonly callbackUrl: string;
  /**
   * From now on it fetches, as soon as it has tokens: these, or those of a user who logs in. It refreshes them when
   * they are refused, and tries again when the platform is out of order.
   */
  connect(platform: { readonly url: string }, tokens?: TokenAnswer): void;
}

/**
 * Starts it as `garden`, which acknowledges what is signed with its secret, and refuses the rest.
 * @param when whether it has fetched them when it acknowledges the event, or begins then
 */
export async function startCallingApp(when: "before" | "afterwards" = "afterwards"): Promise<CallingApp> {
  const app = await startFakeApp({ manifest: manifestOf({ webhooks: [webhookEntry("hook")] }) });
  const callbackUrl = `${app.url}/callback`;
  let platform = { url: "" };
  let tokens: TokenAnswer | null = null;
  /** The verifiers of logins under way, by their state, which is in a cookie, too. */
  const verifiers = new Map<string, string>();

  const fetchProjects = async () => {
    if (tokens === null) return;
    const { status } = await callApi(platform, tokens.access_token);
    if (status === 503) await callApi(platform, tokens.access_token);
    if (status !== 401) return;
    tokens = tokensOf(await refresh(platform, tokens.refresh_token));
    await callApi(platform, tokens.access_token);
  };
  const hear = async (call: AppCall) => {
    const signature = createHmac("sha256", garden.appSecret).update(call.body).digest("hex");
    if (call.header("x-platform-signature") !== signature) return call.send("", { status: 401 });
    if (when === "before") await fetchProjects();
    call.send("", { status: 204 });
    if (when === "afterwards") await fetchProjects();
  };
  const logIn = (call: AppCall) => {
    const state = pkcePair().verifier;
    const { verifier, challenge } = pkcePair();
    verifiers.set(state, verifier);
    const location = authorizeUrl(platform, { redirect_uri: callbackUrl, state, code_challenge: challenge });
    call.send("", { status: 302, headers: { location, "set-cookie": `state=${state}; HttpOnly; SameSite=Lax` } });
  };
  const comeBack = async (call: AppCall) => {
    const { searchParams } = new URL(call.path, app.url);
    const state = searchParams.get("state") ?? "";
    const code = searchParams.get("code");
    const verifier = verifiers.get(state);
    if (verifier === undefined || call.header("cookie") !== `state=${state}`) return call.send("", { status: 400 });
    if (code === null) return call.send("declined", { status: 403 });
    tokens = tokensOf(await exchange(platform, { code, redirect_uri: callbackUrl, code_verifier: verifier }));
    call.send("welcome");
  };

  app.answer((call) => {
    switch (call.path.split("?", 1)[0]) {
      case "/login":
        return logIn(call);
      case "/callback":
        return comeBack(call);
      default:
        return hear(call);
    }
  });
  return Object.assign(app, {
    callbackUrl,
    connect(to: typeof platform, given: TokenAnswer | null = null) {
      platform = to;
      tokens = given;
    },
  });
}
