import { type Html, html } from "./html.ts";
import { layout, type Page } from "./layout.ts";
import { guardCallbackPath, loginPath, organizationText, type PathDomain } from "./login-paths.ts";

/** The page at the platform's root address: lists what it serves. */
export function homePage(domain: PathDomain, address: string): Page {
  return { document: layout({ title: HOME_TITLE, content: homeContent(domain, address) }) };
}

export const HOME_TITLE = "The platform is running";

/** The content of that page. */
export function homeContent(domain: PathDomain, address: string): Html {
  return html`<p>This is the platform that your app talks to. Its organization is <strong>${domain ?? "one without a domain"}</strong>.</p>
<p><a class="button" href="${loginPath(domain)}">Log in to ${organizationText(domain)}</a></p>
<h2>Addresses for the app</h2>
<dl>
<dt>Authorization, for users</dt><dd><code data-copy>${address}/oauth/authorize</code></dd>
<dt>Tokens, for the app</dt><dd><code data-copy>${address}/oauth/token</code></dd>
<dt>Projects of a user</dt><dd><code data-copy>${address}/api/v2/projects</code></dd>
<dt>Metadata, for standard clients</dt><dd><code data-copy>${address}/.well-known/oauth-authorization-server</code></dd>
<dt>Guard callback</dt><dd><code data-copy>${address}${guardCallbackPath(domain)}</code></dd>
<dt>Script for pages in a frame</dt><dd><code data-copy>${address}/host.js</code></dd>
<dt>Public keys of the tokens</dt><dd><code data-copy>${address}/.well-known/jwks.json</code></dd>
</dl>
<p class="hint"><code>app-sim env</code> prints them together with the secrets of the installed app.</p>`;
}
