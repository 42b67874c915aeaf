import type { Credential } from "../../app-client/read-answer.ts";
import type { ChoiceReader } from "../../config/choices.ts";
import type { App, User } from "../../config/schema.ts";
import type { HeaderLines } from "../../journal/exchange.ts";
import type { ImportModule } from "../../platform/manifest.ts";
import { moduleToken } from "../../platform/module-token.ts";
import type { ImportJob } from "../../protocol/import-job.ts";
import { joinUrl } from "../../protocol/url.ts";
import type { ImportContext } from "../import-context.ts";

/** Where and with what credentials a post-import module is called (choice `postImport.auth`). */
export async function importAddress(
  context: ImportContext,
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
