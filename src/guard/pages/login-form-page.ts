import type { User } from "../../config/schema.ts";
import { exactly, type Html, html } from "../../web/html.ts";
import { layout, type Page, status } from "../../web/layout.ts";
import { loginScriptTag } from "./live.ts";

export interface LoginFormFacts {
  readonly domain: string;
  readonly users: readonly User[];
  /** Login name that is chosen at first. */
  readonly chosen: string;
  /** From where the login comes, unless it is changed. */
  readonly ipAddress: string;
  /** Goes back with the form, so that no other site can send it. */
  readonly token: string;
}

/** The page on which a login begins: who, and the password (interface 3.1, password authentication). */
export function loginFormPage({ domain, users, chosen, ipAddress, token }: LoginFormFacts): Page {
  const content = html`${status(html`<p>Choose who logs in. A wrong password is fine as well: every stage can be failed.</p>`)}
<form method="post" class="card">
<input type="hidden" name="token" value="${token}">
<label for="login">Login name</label>
<select id="login" name="login" autocomplete="off">
${users.map((user) => option(user, chosen))}
</select>
<label for="password">Password</label>
<div class="row">
<input id="password" name="password" type="password" autocomplete="off" required autofocus>
<button type="button" class="quiet" data-fill="password" data-from="login" hidden>Fill in the right one</button>
</div>
<label for="ip">IP address that the app sees</label>
<div class="row"><input id="ip" name="ip" value="${ipAddress}" autocomplete="off" required></div>
<button>Log in</button>
</form>
<details>
<summary>The right passwords</summary>
<table>
<thead><tr><th scope="col">Login name</th><th scope="col">Password</th></tr></thead>
<tbody>${users.map(row)}</tbody>
</table>
</details>`;
  return { document: layout({ title: `Log in to ${domain}`, content, head: loginScriptTag }) };
}

function option({ login, role, password }: User, chosen: string): Html {
  const isChosen = login === chosen ? html` selected` : null;
  return html`<option value="${exactly(login)}" data-right="${exactly(password)}"${isChosen}>${login} (${role})</option>\n`;
}

function row({ login, password }: User): Html {
  return html`<tr><td>${login}</td><td><code>${exactly(password)}</code></td></tr>`;
}
