import type { User } from "../config/schema.ts";
import type { GuardResult } from "../guard/guard-result.ts";
import { type InteractionView, type LoginView, type StageView, stageName } from "../guard/login/login-view.ts";
import type { PlainStage } from "../guard/rules/login.ts";
import type { AuthenticatorCode } from "../guard/rules/totp.ts";
import { clip, harmless } from "../protocol/harmless.ts";
import { type Html, html } from "../web/html.ts";
import { layout, type Page, reasonAndHint, status, withCode } from "../web/layout.ts";
import { loginPath, oneLoginPath } from "../web/login-paths.ts";
import { FRAME_SCRIPT_PATH, loginScriptTag } from "./script-files.ts";
import { stageForm, stageTitles } from "./stage-forms.ts";

/** Seconds after which a page without scripts reloads to see whether the app has answered. */
const REFRESH_SECONDS = 1;

/** The app's page that a frame guard shows to its user (interface 3.1, 4.2). */
interface FramedPage {
  /** `options.url` with the `jwtToken`. */
  readonly url: string;
  /** Token of the interaction, with which this page reports the frame's outcome. */
  readonly state: string;
  /** How long the platform still waits, in milliseconds of real time: its own clock may differ from the browser's. */
  readonly timeLeftMs: number;
}

interface LoginFacts {
  /** Without secrets in its texts. */
  readonly view: LoginView;
  readonly user: User;
  /** How often the user may try a stage that is not a guard. */
  readonly attempts: number;
  readonly token: string;
  readonly authenticator: AuthenticatorCode;
  /** The app's page, if a frame guard waits for its user. */
  readonly frame: FramedPage | null;
  /** An exchange as lines without secrets, by its id. */
  readonly exchange: (id: string) => readonly string[];
}

/** The page of a login in its current state (interface 3.1). */
export function loginPage(facts: LoginFacts): Page {
  const { view, frame } = facts;
  if (view.result !== null) return endPage(facts, view.result);
  const stage = view.stages[view.current ?? 0];
  if (stage === undefined) throw new RangeError(`the login is at stage ${view.current} of ${view.stages.length}`);
  if (stage.stage !== "guard") return { document: stagePage(facts, stage, stage.stage) };
  return frame === null ? { document: verifyingPage(facts, stage) } : framedPage(facts, stage, frame);
}

function stagePage(facts: LoginFacts, { failures }: StageView, stage: PlainStage): Html {
  const { view, user, attempts, token } = facts;
  const tries = failures.length === 0 ? "" : `, try ${failures.length + 1} of ${attempts}`;
  const authenticator = { ...facts.authenticator, address: `${oneLoginPath(view.domain, view.id)}/authenticator` };
  const content = html`${status(html`${failures.map((failure, index) => html`<p class="failure">Try ${index + 1}: ${failure}</p>`)}`)}
${stageForm({ stage, failures: failures.length, token, user, authenticator })}
${stepper(facts)}`;
  return layout({ title: `${stageTitles[stage]}${tries}`, content, head: loginScriptTag, main: liveAttributes(view) });
}

function verifyingPage(facts: LoginFacts, stage: StageView): Html {
  const { view } = facts;
  const seconds = (view.call?.limitMs ?? 0) / 1000;
  const limit = view.call === null ? null : html` It has ${secondsLeft(seconds)} s to answer.`;
  const content = html`${description(stage)}
${status(html`<p>Waiting for the app's answer.${limit}</p>`)}
<progress aria-label="Waiting for the app's answer"></progress>
${stepper(facts)}`;
  const head = html`<noscript><meta http-equiv="refresh" content="${REFRESH_SECONDS}"></noscript>${loginScriptTag}`;
  return layout({ title: `Verification: ${stageName(stage)}`, content, head, main: liveAttributes(view) });
}

/** The app's page in a frame, with the module's name and description around it (interface 2.1). */
function framedPage(facts: LoginFacts, stage: StageView, { url, state, timeLeftMs }: FramedPage): Page {
  const { view } = facts;
  const name = stageName(stage);
  const { origin } = new URL(url);
  const limit = html` You have ${secondsLeft(Math.ceil(timeLeftMs / 1000))} s left.`;
  const content = html`${description(stage)}
${status(html`<p id="frame-state">The frame shows a page of <code data-copy>${origin}</code>.${limit}</p>`)}
<div id="troubles" role="status">${liveState(view).troubles.map(
    ({ reason, hint }) => html`<div class="trouble">${reasonAndHint(reason, hint)}</div>`,
  )}</div>
<noscript><p class="warning">The page in the frame can report its outcome only if scripts are enabled.</p></noscript>
<iframe title="${name}" src="${url}" data-origin="${origin}" data-state="${state}" data-report="${oneLoginPath(view.domain, view.id)}/frame" data-time-left="${timeLeftMs}"></iframe>
${stepper(facts)}`;
  // Not deferred: a fast page in the frame may report before this page has loaded.
  const head = html`<script src="${FRAME_SCRIPT_PATH}"></script>${loginScriptTag}`;
  const document = layout({ title: `Verification: ${name}`, content, head, main: liveAttributes(view) });
  return { document, frameOrigin: origin };
}

function description({ description }: StageView): Html | null {
  return description == null ? null : html`<p class="description">${description}</p>`;
}

const endTitles: Record<GuardResult["outcome"], string> = {
  granted: "Access granted",
  denied: "Access denied",
  failed: "Login failed",
  "needs-user": "Login not completed",
};

function endPage(facts: LoginFacts, { outcome, reason, hint, warnings, stages }: GuardResult): Page {
  const { view } = facts;
  const last = view.stages[stages.length - 1];
  const summary =
    outcome === "granted" || last === undefined
      ? "Every stage that applies was passed."
      : `It ended at this stage: ${stageName(last)}`;
  const isShownBelow = stages.some((stage) => stage.hint === hint);
  const content = html`<div class="ending is-${outcome}">${status(html`<p>${summary}</p>
${reasonAndHint(reason, isShownBelow ? null : hint)}`)}</div>
${warnings.map((warning) => html`<p class="warning">Warning: ${warning}</p>`)}
<p><a class="button" href="${loginPath(view.domain)}">Start another login</a></p>
${stepper(facts)}`;
  return { document: layout({ title: endTitles[outcome], content }) };
}

/** Every stage of a login in order (interface 3.1), with its status. */
function stepper(facts: LoginFacts): Html {
  const { view } = facts;
  return html`<section class="beside" aria-labelledby="stages-title">
<h2 id="stages-title">Stages of this login</h2>
<ol class="stages">${view.stages.map((stage, index) => stageItem(facts, stage, index))}</ol>
<p class="quiet">${view.user.login} (${view.user.role}, user ${view.user.id}) from ${view.ipAddress}</p>
</section>`;
}

/** Counted down by the script of the page. */
function secondsLeft(seconds: number): Html {
  return html`<span data-seconds-left>${seconds}</span>`;
}

/** A page shows an exchange for every guard; `app-sim log` has them in full. */
const MOST_CHARACTERS = 20_000;

/** An exchange, folded; nothing if it was not kept. */
function exchangeItem(lines: readonly string[]): Html | null {
  const request = lines.find((line) => line.startsWith("→ ")) ?? "";
  if (lines.length === 0) return null;
  return html`<details class="exchange"><summary>${request}</summary><pre>${clip(lines.join("\n"), MOST_CHARACTERS)}</pre></details>`;
}

function stageItem({ view: { current, result }, exchange }: LoginFacts, stage: StageView, index: number): Html {
  const { status, reason, hint, module, type } = stage;
  const details = [
    ...(reason === undefined ? [] : [html`<p class="reason">${reason}</p>`]),
    ...(hint === undefined ? [] : [html`<p class="hint">Hint: ${withCode(hint)}</p>`]),
    ...stage.warnings.map((warning) => html`<p class="warning">Warning: ${withCode(warning)}</p>`),
    ...stage.exchanges.map((id) => exchangeItem(exchange(id))),
  ];
  const isCurrent = current === index ? html` aria-current="step"` : null;
  const guard = module === undefined ? null : html`<span class="quiet"><code>${module}</code> ${type ?? null}</span>`;
  return html`<li class="is-${status}"${isCurrent}>
<div class="stage">
<span class="name"><strong>${stageName(stage)}</strong> ${guard}</span>
<span class="state">${(result === null ? statesOfRunning : statesOfEnded)[status] ?? status}</span>
</div>
${details}
</li>`;
}

const statesOfRunning: Partial<Record<StageView["status"], string>> = {
  waiting: "not yet",
  running: "waiting for the app",
  "needs-user": "needs you",
};
const statesOfEnded: typeof statesOfRunning = {
  ...statesOfRunning,
  waiting: "not reached",
  "needs-user": "not completed",
};

/** What a page of a login needs to stay in sync with it. */
export interface LiveState {
  /** Changes when the login has another page. */
  readonly page: string;
  /** Problems with the app's page in the frame, shown without reloading the page. */
  readonly troubles: InteractionView["troubles"];
}

/** What open pages of a login receive after every change. */
export function liveState({ current, stages, interaction, result }: LoginView): LiveState {
  const stage = current === null ? undefined : stages[current];
  const page = stage === undefined ? `ended ${result?.outcome}` : `${current} ${stage.status} ${stage.failures.length}`;
  const troubles = (interaction?.troubles ?? []).map(({ reason, hint }) => ({
    reason: harmless(reason),
    hint: hint && harmless(hint),
  }));
  return { page, troubles };
}

/** Attributes that the page's script needs to stay in sync with its login. */
function liveAttributes(view: LoginView): Html {
  const events = `${oneLoginPath(view.domain, view.id)}/events`;
  return html` data-events="${events}" data-page="${liveState(view).page}"`;
}
