import type { User } from "../config/schema.ts";
import type { PlainStage } from "../guard/rules/login.ts";
import type { AuthenticatorCode } from "../guard/rules/totp.ts";
import { exactly, type Html, html } from "../web/html.ts";
import { layout, type Page, status } from "../web/layout.ts";
import { organizationText, type PathDomain } from "../web/login-paths.ts";
import { loginScriptTag } from "./script-files.ts";

interface StageFormFacts {
  readonly stage: PlainStage;
  /** How many tries have failed so far: a form for another try is out of date. */
  readonly failures: number;
  /** Sent back with the form, so that no other site can submit it. */
  readonly token: string;
  readonly user: User;
  /** What the user's authenticator shows, and the address for updates. */
  readonly authenticator: AuthenticatorCode & { readonly address: string };
}

/** The question at a stage that is not a guard. */
export const stageTitles: Record<PlainStage, string> = {
  password: "Enter your password",
  mfa: "Enter the code from your authenticator",
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
</div>
<p class="hint">The right password is <code>${exactly(user.password)}</code></p>
<div class="row">
<button type="button" data-fill="password" data-right="${exactly(user.password)}" hidden>Enter the right password</button>
<button class="quiet">Continue</button>
</div>`,
  mfa: ({ failures }) => html`<label for="code">Code</label>
<div class="row">
<input id="code" name="code" inputmode="numeric" autocomplete="off" required autofocus${invalid(failures)}>
</div>
<button>Continue</button>`,
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
<button type="button" class="quiet" data-fill="code" data-from="authenticator-code" hidden>Enter this code</button>
</section>`;
}

interface LoginFormFacts {
  readonly domain: PathDomain;
  readonly users: readonly User[];
  /** Login name that is preselected. */
  readonly chosen: string;
  /** The user's IP address, unless changed. */
  readonly ipAddress: string;
  /** Sent back with the form, so that no other site can submit it. */
  readonly token: string;
}

/** The page on which a login starts: who, and the password (interface 3.1, password authentication). */
export function loginFormPage({ domain, users, chosen, ipAddress, token }: LoginFormFacts): Page {
  const content = html`${status(html`<p>Choose who logs in. Type a wrong password to see that stage fail: every stage can fail.</p>`)}
<form method="post" class="card">
<input type="hidden" name="token" value="${token}">
<label for="login">Login name</label>
<select id="login" name="login" autocomplete="off">
${users.map((user) => option(user, chosen))}
</select>
<label for="password">Password</label>
<div class="row">
<input id="password" name="password" type="password" autocomplete="off" required autofocus>
</div>
<label for="ip">IP address that the app sees</label>
<div class="row"><input id="ip" name="ip" value="${ipAddress}" autocomplete="off" required></div>
<div class="row">
<button type="button" data-fill="password" data-from="login" hidden>Log in with the right password</button>
<button class="quiet">Log in</button>
</div>
</form>
<details>
<summary>Passwords of the users</summary>
<table>
<thead><tr><th scope="col">Login name</th><th scope="col">Password</th></tr></thead>
<tbody>${users.map(row)}</tbody>
</table>
</details>`;
  return { document: layout({ title: `Log in to ${organizationText(domain)}`, content, head: loginScriptTag }) };
}

function option({ login, role, password }: User, chosen: string): Html {
  const isChosen = login === chosen ? html` selected` : null;
  return html`<option value="${exactly(login)}" data-right="${exactly(password)}"${isChosen}>${login} (${role})</option>\n`;
}

function row({ login, password }: User): Html {
  return html`<tr><td>${login}</td><td><code>${exactly(password)}</code></td></tr>`;
}
