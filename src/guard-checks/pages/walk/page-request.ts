import { moduleTokenParts } from "../../../checking/module-request.ts";
import type { RequestParts } from "../../../checking/request-parts.ts";
import type { ChoiceReader } from "../../../config/choices.ts";
import type { SimulatorContext } from "../../../platform/context.ts";
import { joinUrl } from "../../../protocol/url.ts";
import type { InstalledGuard, Person } from "../../call.ts";

/** A user on the way to the page of a guard. */
interface PageUser extends Pick<Person, "user"> {
  /** Only a redirect guard's page gets it in its query. */
  readonly state: string;
}

/** The request for the page of a guard (interface 4.2), in parts, so that token and state can be changed. */
export async function pageRequest(
  context: SimulatorContext,
  choices: ChoiceReader,
  { installed: { app }, module }: InstalledGuard,
  { user, state }: PageUser,
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
