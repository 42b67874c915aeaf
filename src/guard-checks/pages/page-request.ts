import { moduleTokenParts } from "../../checking/module-request.ts";
import type { RequestParts } from "../../checking/request-parts.ts";
import type { ChoiceReader } from "../../config/choices.ts";
import type { SimulatorContext } from "../../platform/context.ts";
import { joinUrl } from "../../protocol/url.ts";
import type { InstalledGuard, Person } from "../call.ts";

/**
 * The request for the page of a guard (interface 4.2), in parts, so that token and state can be changed.
 * @param state only a redirect guard's page gets it in its query
 */
export async function pageRequest(
  context: SimulatorContext,
  choices: ChoiceReader,
  { installed: { app }, module }: InstalledGuard,
  { user }: Pick<Person, "user">,
  state: string,
): Promise<RequestParts> {
  const url = new URL(joinUrl(app.url, module.optionsUrl ?? ""));
  if (module.type === "redirect") url.searchParams.set("state", state);
  return {
    method: "GET",
    url: url.href,
    headers: [
      ["Accept", "text/html"],
      ["Accept-Encoding", "identity"],
    ],
    body: null,
    token: await moduleTokenParts(context, choices, { app, user, module: module.key }),
    tokenIn: { query: "jwtToken" },
  };
}
