import { type Html, html } from "../../web/html.ts";
import type { LoginView, StageView } from "../login/login-view.ts";

type Status = StageView["status"];

const plainNames = {
  password: "Password",
  mfa: "Second factor",
  "device-trust": "Device trust",
  "remember-me": "Remember me",
} as const;

/** Every stage of a login in its order (interface 3.1), with its status. */
export function stepper(view: LoginView): Html {
  return html`<section aria-labelledby="stages-title">
<h2 id="stages-title">Stages of this login</h2>
<ol class="stages">${view.stages.map((_, index) => item(view, index))}</ol>
<p class="quiet">${view.user.login} (${view.user.role}, user ${view.user.id}) from ${view.ipAddress}</p>
</section>`;
}

/** What a stage is called: the name that the manifest gives to a guard. */
export function stageName({ stage, name, module }: StageView): string {
  return stage === "guard" ? (name ?? module ?? stage) : plainNames[stage];
}

function item(view: LoginView, index: number): Html | null {
  const stage = view.stages[index];
  if (stage === undefined) return null;
  const { status, reason = null } = stage;
  const details = [
    ...(reason === null ? [] : [html`<p class="reason">${reason}</p>`]),
    ...(stage.hint === undefined ? [] : [html`<p class="hint">Hint: ${stage.hint}</p>`]),
    ...stage.warnings.map((warning) => html`<p class="warning">Warning: ${warning}</p>`),
  ];
  const current = view.current === index ? html` aria-current="step"` : null;
  return html`<li class="is-${status}"${current}>
<div class="stage">
<span class="name"><strong>${stageName(stage)}</strong> ${guardFacts(stage)}</span>
<span class="state">${stateText(status, view.result !== null)}</span>
</div>
${details}
</li>`;
}

function guardFacts({ module, type }: StageView): Html | null {
  return module === undefined ? null : html`<span class="quiet"><code>${module}</code> ${type ?? null}</span>`;
}

function stateText(status: Status, hasEnded: boolean): string {
  switch (status) {
    case "waiting":
      return hasEnded ? "not reached" : "to come";
    case "running":
      return "the app is being asked";
    case "needs-user":
      return hasEnded ? "not completed" : "your turn";
    default:
      return status;
  }
}
