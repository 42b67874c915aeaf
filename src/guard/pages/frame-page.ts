import { html } from "../../web/html.ts";
import { layout, type Page, reasonAndHint, status } from "../../web/layout.ts";
import { oneLoginPath } from "../../web/login-paths.ts";
import type { LoginView, StageView } from "../login/login-view.ts";
import { liveAttributes, liveState, loginScriptTag } from "./live.ts";
import { FRAME_SCRIPT_PATH } from "./script-files.ts";
import { stageName, stepper } from "./stepper.ts";

/** The app's page that a frame guard shows to its user (interface 3.1, 4.2). */
export interface Frame {
  /** `options.url` with the `jwtToken`. */
  readonly url: string;
  /** Token of the interaction: with it this page reports what the frame said. */
  readonly state: string;
  /** How long the platform still waits, in milliseconds of real time: its clock may be turned, the browser's is not. */
  readonly timeLeftMs: number;
}

/** The page that holds the app's page in a frame, with the module's name and description around it (interface 2.1). */
export function framedPage(view: LoginView, stage: StageView, { url, state, timeLeftMs }: Frame): Page {
  const name = stageName(stage);
  const { origin } = new URL(url);
  const limit = view.interaction === null ? null : html` It has ${view.interaction.limitMs / 1000} s to report.`;
  const content = html`${stage.description == null ? null : html`<p class="description">${stage.description}</p>`}
${status(html`<p id="frame-state">The frame shows a page of <code>${origin}</code>.${limit}</p>`)}
<div id="troubles" role="status">${liveState(view).troubles.map(
    ({ reason, hint }) => html`<div class="trouble">${reasonAndHint(reason, hint)}</div>`,
  )}</div>
<noscript><p class="warning">The page in the frame can report its outcome only where scripts are allowed.</p></noscript>
<iframe title="${name}" src="${url}" data-origin="${origin}" data-state="${state}" data-report="${oneLoginPath(view.domain, view.id)}/frame" data-time-left="${timeLeftMs}"></iframe>
${stepper(view)}`;
  // Not deferred: a quick page in the frame may report before this page has loaded.
  const head = html`<script src="${FRAME_SCRIPT_PATH}"></script>${loginScriptTag}`;
  const document = layout({ title: `Verification: ${name}`, content, head, main: liveAttributes(view) });
  return { document, frameOrigin: origin };
}
