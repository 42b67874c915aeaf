import type { User } from "../../config/schema.ts";
import { type Html, html } from "../../web/html.ts";
import { layout, type Page, reasonAndHint, status } from "../../web/layout.ts";
import { loginPath, oneLoginPath } from "../../web/login-paths.ts";
import type { GuardResult } from "../guard-result.ts";
import type { LoginView, StageView } from "../login/login-view.ts";
import type { AuthenticatorCode } from "../rules/totp.ts";
import { type Frame, framedPage } from "./frame-page.ts";
import { liveAttributes, loginScriptTag } from "./live.ts";
import { stageForm, stageTitles } from "./stage-form.ts";
import { stageName, stepper } from "./stepper.ts";

/** How often a page without scripts looks whether the app has answered, in seconds. */
const REFRESH_SECONDS = 1;

export interface LoginFacts {
  /** Its texts without secrets. */
  readonly view: LoginView;
  readonly user: User;
  /** How often the user may try a stage that is not a guard. */
  readonly attempts: number;
  readonly token: string;
  readonly authenticator: AuthenticatorCode;
  /** The app's page, where a frame guard waits for its user. */
  readonly frame: Frame | null;
}

/** The page of a login in its present state (interface 3.1). */
export function loginPage(facts: LoginFacts): Page {
  const { view, frame } = facts;
  if (view.result !== null) return endPage(view, view.result);
  const stage = view.stages[view.current ?? 0];
  if (stage === undefined) throw new RangeError(`the login is at stage ${view.current} of ${view.stages.length}`);
  if (stage.stage !== "guard") return { document: stagePage(facts, stage, stage.stage) };
  return frame === null ? { document: verifyingPage(view, stage) } : framedPage(view, stage, frame);
}

function stagePage(facts: LoginFacts, { failures }: StageView, stage: Exclude<StageView["stage"], "guard">): Html {
  const { view, user, attempts, token } = facts;
  const tries = failures.length === 0 ? "" : `, try ${failures.length + 1} of ${attempts}`;
  const authenticator = { ...facts.authenticator, address: `${oneLoginPath(view.domain, view.id)}/authenticator` };
  const content = html`${status(html`${failures.map((failure, index) => html`<p class="failure">Try ${index + 1}: ${failure}</p>`)}`)}
${stageForm({ stage, failures: failures.length, token, user, authenticator })}
${stepper(view)}`;
  return layout({ title: `${stageTitles[stage]}${tries}`, content, head: loginScriptTag, main: liveAttributes(view) });
}

function verifyingPage(view: LoginView, stage: StageView): Html {
  const seconds = (view.call?.limitMs ?? 0) / 1000;
  const limit = view.call === null ? null : html` It has ${seconds} s to answer.`;
  const content = html`${stage.description == null ? null : html`<p class="description">${stage.description}</p>`}
${status(html`<p>The app is being asked.${limit}</p>`)}
<progress aria-label="The app is being asked"></progress>
${stepper(view)}`;
  const head = html`<noscript><meta http-equiv="refresh" content="${REFRESH_SECONDS}"></noscript>${loginScriptTag}`;
  return layout({ title: `Verification: ${stageName(stage)}`, content, head, main: liveAttributes(view) });
}

const endTitles: Record<GuardResult["outcome"], string> = {
  granted: "Access granted",
  denied: "Access denied",
  "needs-user": "Login not completed",
};

function endPage(view: LoginView, { outcome, reason, hint, warnings, stages }: GuardResult): Page {
  const last = view.stages[stages.length - 1];
  const summary =
    outcome === "granted" || last === undefined
      ? "Every stage that applies was passed."
      : `It ended at: ${stageName(last)}`;
  const isShownBelow = stages.some((stage) => stage.hint === hint);
  const content = html`<div class="ending is-${outcome}">${status(html`<p>${summary}</p>
${reasonAndHint(reason, isShownBelow ? null : hint)}`)}</div>
${warnings.map((warning) => html`<p class="warning">Warning: ${warning}</p>`)}
<p><a class="button" href="${loginPath(view.domain)}">Begin another login</a></p>
${stepper(view)}`;
  return { document: layout({ title: endTitles[outcome], content }) };
}
