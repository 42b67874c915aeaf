import { harmless } from "../../protocol/harmless.ts";
import { type Html, html } from "../../web/html.ts";
import { oneLoginPath } from "../../web/login-paths.ts";
import type { LoginView, Trouble } from "../login/login-view.ts";
import { LOGIN_SCRIPT_PATH } from "./script-files.ts";

/** What a page of a login has to know to stay in step with it. */
export interface LiveState {
  /** Another value: the login has another page now. */
  readonly page: string;
  /** What is wrong with the app's page in the frame, to be shown without loading the page again. */
  readonly troubles: readonly Trouble[];
}

/** What the open pages of a login are sent after every change. */
export function liveState({ current, stages, interaction, result }: LoginView): LiveState {
  const stage = current === null ? undefined : stages[current];
  const page = stage === undefined ? `ended ${result?.outcome}` : `${current} ${stage.status} ${stage.failures.length}`;
  const troubles = (interaction?.troubles ?? []).map(({ reason, hint }) => ({
    reason: harmless(reason),
    hint: hint === null ? null : harmless(hint),
  }));
  return { page, troubles };
}

/** Loads the script of the login's pages. */
export const loginScriptTag: Html = html`<script src="${LOGIN_SCRIPT_PATH}" defer></script>`;

/** Attributes with which the script of a page keeps it in step with its login. */
export function liveAttributes(view: LoginView): Html {
  const events = `${oneLoginPath(view.domain, view.id)}/events`;
  return html` data-events="${events}" data-page="${liveState(view).page}"`;
}
