import type { User } from "../../config/schema.ts";
import { exactly, type Html, html } from "../../web/html.ts";
import type { PlainStage } from "../rules/login.ts";
import type { AuthenticatorCode } from "../rules/totp.ts";

export interface StageFormFacts {
  readonly stage: PlainStage;
  /** How many tries were not good so far: a form for another try is out of date. */
  readonly failures: number;
  /** Goes back with the form, so that no other site can send it. */
  readonly token: string;
  readonly user: User;
  /** What the user's authenticator shows, and where to ask it again. */
  readonly authenticator: AuthenticatorCode & { readonly address: string };
}

/** What the user is asked at a stage that is not a guard. */
export const stageTitles: Record<PlainStage, string> = {
  password: "Enter your password",
  mfa: "Enter the code of your authenticator",
  "device-trust": "Do you trust this device?",
  "remember-me": "Remember you on this device?",
};

/** The form of a stage that is not a guard (interface 3.1), with what helps a developer to fill it in. */
export function stageForm(facts: StageFormFacts): Html {
  const { stage, failures, token } = facts;
  return html`<form method="post" class="card">
<input type="hidden" name="token" value="${token}">
<input type="hidden" name="stage" value="${stage}">
<input type="hidden" name="failures" value="${failures}">
${fields[stage](facts)}
</form>
${stage === "mfa" ? authenticatorPanel(facts.authenticator) : null}`;
}

const fields: Record<PlainStage, (facts: StageFormFacts) => Html> = {
  password: ({ user, failures }) => html`<label for="password">Password of ${user.login}</label>
<div class="row">
<input id="password" name="password" type="password" autocomplete="off" required autofocus${invalid(failures)}>
<button type="button" class="quiet" data-fill="password" data-right="${exactly(user.password)}" hidden>Fill in the right one</button>
</div>
<p class="hint">The right one is <code>${exactly(user.password)}</code></p>
<button>Go on</button>`,
  mfa: ({ failures }) => html`<label for="code">Code</label>
<div class="row">
<input id="code" name="code" inputmode="numeric" autocomplete="off" required autofocus${invalid(failures)}>
</div>
<button>Go on</button>`,
  "device-trust": () => html`<p>A device that is not trusted is not let in.</p>
<div class="row">
<button name="trusted" value="yes">Trust this device</button>
<button name="trusted" value="no" class="quiet">Do not trust it</button>
</div>`,
  "remember-me": () => html`<p>Both answers let you in.</p>
<div class="row">
<button name="remember" value="yes">Remember me</button>
<button name="remember" value="no" class="quiet">Do not remember me</button>
</div>`,
};

function invalid(failures: number): Html | null {
  return failures > 0 ? html` aria-invalid="true"` : null;
}

function authenticatorPanel({ code, secondsLeft, address }: StageFormFacts["authenticator"]): Html {
  return html`<section class="card authenticator" aria-labelledby="authenticator-title" data-authenticator="${address}">
<h2 id="authenticator-title">Virtual authenticator</h2>
<p><code id="authenticator-code">${code}</code> <span>next code in <span id="authenticator-left">${secondsLeft}</span> s</span></p>
<button type="button" class="quiet" data-fill="code" data-from="authenticator-code" hidden>Fill in this code</button>
</section>`;
}
