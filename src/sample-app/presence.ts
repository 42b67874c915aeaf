import type { IncomingMessage } from "node:http";
import type { Codes } from "./codes.ts";
import { html, orErrorPage, page } from "./pages.ts";
import { originOf, type Platform } from "./platform.ts";
import { json, onlyValue, queryOf, type Reply } from "./request.ts";
import { bearerToken, type Credentials, personOf, verifyToken } from "./token.ts";

/**
 * The page of a `frame` guard (interface 3.1, 4.2), which only the platform may show in a frame. All that it does is in
 * `PRESENCE_SCRIPT`.
 */
export function presencePage(
  moduleKey: string,
  credentials: Credentials,
  { authUrl, sdkUrl }: Platform,
): (request: IncomingMessage) => Promise<Reply> {
  const sdk = `${sdkUrl}/host.js`;
  const frame = `frame-ancestors ${originOf(authUrl)}`;
  const policy = `script-src 'self' ${sdk}; connect-src 'self'; form-action 'none'; ${frame}`;

  async function answer(request: IncomingMessage): Promise<Reply> {
    const token = onlyValue(new URLSearchParams(queryOf(request)), "jwtToken") ?? "";
    personOf(await verifyToken(token, moduleKey, credentials));
    const content = html`<p>Somebody logs in with your account from outside the office.</p>
      <button type="button" id="confirm">It is me</button>
      <button type="button" id="deny">It is not me</button>
      <p id="notice" role="status"></p>
      <script src="${sdk}"></script>
      <script type="module" src="page.js"></script>`;
    return page(200, "Are you there?", content, policy);
  }

  return (request) => orErrorPage(answer(request), policy);
}

/** Answers the page's own call with a code for the user whom the token is about. */
export async function answerConfirm(
  request: IncomingMessage,
  moduleKey: string,
  credentials: Credentials,
  codes: Codes,
): Promise<Reply> {
  const person = personOf(await verifyToken(bearerToken(request), moduleKey, credentials));
  return json(200, { code: codes.issue({ ...person, moduleKey }) });
}

/** What the page does. A file of its own, so that its policy need not allow any script that stands in a page. */
export const PRESENCE_SCRIPT = `const notice = document.getElementById("notice");
const buttons = [document.getElementById("confirm"), document.getElementById("deny")];

async function fetchCode() {
  const token = new URLSearchParams(location.search).get("jwtToken");
  const response = await fetch("confirm", { method: "POST", headers: { authorization: "Bearer " + token } });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error.message);
  return answer.code;
}

// The buttons stay off once the outcome is reported: one login has one outcome.
async function report(getOutcome) {
  for (const button of buttons) button.disabled = true;
  try {
    if (typeof AP === "undefined") throw new Error("the platform's script did not load");
    AP.verifyAuth(await getOutcome());
    notice.textContent = "Thank you. The platform goes on with your login.";
  } catch (error) {
    notice.textContent = "That did not work (" + error.message + "). Try again, or reload the page.";
    for (const button of buttons) button.disabled = false;
  }
}

const [confirm, deny] = buttons;
confirm.addEventListener("click", () => report(async () => ({ code: await fetchCode() })));
deny.addEventListener("click", () => report(async () => ({ error: "The user said “It is not me”." })));
`;
