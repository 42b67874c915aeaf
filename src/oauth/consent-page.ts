import type { User } from "../config/schema.ts";
import { exactly, type Html, html } from "../web/html.ts";
import { layout, type Page } from "../web/layout.ts";
import { organizationText } from "../web/login-paths.ts";

export interface ConsentFacts {
  /**
   * Sent back with the form: names the authorization request, which stays on the server, so that its state is never
   * part of the form.
   */
  readonly request: string;
  /** Sent back with the form, so that no other site can submit it. */
  readonly token: string;
  readonly appName: string;
  readonly clientId: string;
  /** The organization's domain. */
  readonly domain: string | null;
  /** Each requested scope, with a description of what it allows. */
  readonly scopes: readonly Scope[];
  readonly users: readonly User[];
  /** Login name of the preselected user. */
  readonly chosen: string;
  /** Registered with the app, so it is a full URL. */
  readonly redirectUri: string;
  /** For the app's developer, such as a missing state. */
  readonly warnings: readonly string[];
}

interface Scope {
  readonly name: string;
  readonly words: string;
}

/**
 * The page that asks a user whether an app may act on their behalf (interface 5.2). Nothing is focused at first and no
 * field submits on Enter, so that only a deliberate click approves.
 */
export function consentPage(facts: ConsentFacts): Page {
  const { request, token, appName, domain, scopes, users, chosen, redirectUri } = facts;
  const content = html`<p class="description">It wants access to <strong>${organizationText(domain)}</strong> as the user you choose below. It gets nothing unless you approve.</p>
<form method="post" action="/oauth/authorize" class="card">
<input type="hidden" name="request" value="${exactly(request)}">
<input type="hidden" name="token" value="${exactly(token)}">
<h2 id="scopes">If you approve, the app can</h2>
<ul class="scopes" aria-labelledby="scopes">
${scopes.map(scopeItem)}
</ul>
<label for="user">The app acts as</label>
<select id="user" name="user" autocomplete="off">
${users.map((user) => option(user, chosen))}
</select>
<p class="destination">Either way you will return to the app, at <strong>${placeOf(redirectUri)}</strong></p>
<div class="decision">
<button name="decision" value="approve">Approve</button>
<button name="decision" value="deny" class="quiet">Deny</button>
</div>
</form>
${details(facts)}
${notes(facts)}`;
  return { document: layout({ title: `${appName} asks for access`, content }) };
}

function scopeItem({ name, words }: Scope): Html {
  return html`<li>${words} <code class="quiet">${name}</code></li>\n`;
}

function option({ login, role }: User, chosen: string): Html {
  const isChosen = login === chosen ? html` selected` : null;
  return html`<option value="${exactly(login)}"${isChosen}>${login} (${role})</option>\n`;
}

/** The origin of an address; for an app with its own URL scheme, the scheme. */
function placeOf(address: string): string {
  const { origin, protocol } = new URL(address);
  return origin === "null" ? protocol : origin;
}

function details({ clientId, redirectUri }: ConsentFacts): Html {
  return html`<details>
<summary>Details</summary>
<dl>
<dt>Client id of the app</dt><dd><code data-copy>${clientId}</code></dd>
<dt>Address you return to</dt><dd><code data-copy>${redirectUri}</code></dd>
</dl>
</details>`;
}

function notes({ warnings }: ConsentFacts): Html | null {
  if (warnings.length === 0) return null;
  return html`<section class="quiet" aria-labelledby="notes">
<h2 id="notes">For the app's developer</h2>
<ul>${warnings.map((warning) => html`<li>${warning}</li>`)}</ul>
</section>`;
}
