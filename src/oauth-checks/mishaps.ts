import { jsonAnswer } from "../protocol/wire-answer.ts";
import type { Journey } from "./check.ts";

/** Logins that go wrong, because errors often reveal too much. */
export const mishaps: Journey = {
  key: "oauth.secrets",
  run: async (tools) => {
    for (const status of [400, 500]) {
      const location = await tools.begin("A");
      tools.change("token", () =>
        jsonAnswer(status, { error: "server_error", error_description: "app-sim was asked" }),
      );
      await tools.open("A", `failed-${status}`, location);
      tools.unchanged();
    }
    const forged = new URL(await tools.begin("A"));
    forged.searchParams.set("state", "app-sim");
    await tools.open("A", "forged", forged.href);
    const bare = new URL(await tools.begin("A"));
    await tools.open("A", "callback", bare.origin + bare.pathname);
    await tools.login("B");
    tools.change("api", () => jsonAnswer(500, { error: { message: "app-sim was asked for this" } }));
    await tools.use("B", "failed");
    tools.unchanged();
    // Anybody may open the page on which most logins begin.
    await tools.open("H", "home", tools.subject.app.url);
  },
};
