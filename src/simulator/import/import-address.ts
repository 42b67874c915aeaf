import type { Credential } from "../../checks/read-answer.ts";
import type { App, User } from "../../config/schema.ts";
import type { HeaderLines } from "../../journal/exchange.ts";
import type { ChoiceReader } from "../../protocol/choices.ts";
import type { ImportJob } from "../../protocol/import-job.ts";
import type { ImportModule } from "../../protocol/manifest.ts";
import { joinUrl } from "../../protocol/url.ts";
import type { SimulatorContext } from "../context.ts";
import { moduleToken } from "../module-token.ts";

/** Where and with what credentials a post-import module is called (choice `postImport.auth`). */
export async function importAddress(
  context: SimulatorContext,
  choices: ChoiceReader,
  app: App,
  module: ImportModule,
  user: User,
  project: ImportJob["project"],
): Promise<{ url: string; headers: HeaderLines; credential: Credential }> {
  const url = joinUrl(app.url, module.url);
  const headers: HeaderLines = [
    ["Content-Type", "application/json"],
    ["Accept-Encoding", "identity"],
  ];
  const auth = choices.get("postImport.auth");
  if (auth === "none") return { url, headers, credential: "none" };
  const token = await moduleToken(context, choices, { app, user, module: module.key, project });
  if (auth === "bearer") {
    return { url, headers: [["Authorization", `Bearer ${token}`], ...headers], credential: "token" };
  }
  const withToken = new URL(url);
  withToken.searchParams.set("jwtToken", token);
  return { url: withToken.href, headers, credential: "token" };
}
