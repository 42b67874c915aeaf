import { guardLayout, guardWithPage, isInNetworks } from "./guard.js";
import { json, onlyValue, queryOf, text } from "./http.js";
import { bearerToken, personOf, verifyToken } from "./jwt.js";
import { html, page, withErrorPage } from "./pages.js";

const outsideNetworks = ["192.0.2.0/24", "2001:db8:feed::/48"];

/** A `frame` guard: users who log in from outside the office confirm it on a page that the platform shows in a frame. */
export function presenceGuard(settings, codes) {
  const sdk = `${settings.sdkUrl}/host.js`;
  const frame = `frame-ancestors ${new URL(settings.authUrl).origin}`;
  const layout = guardLayout(`script-src 'self' ${sdk}; connect-src 'self'; form-action 'none'; ${frame}`);

  const show = withErrorPage(layout, async (request) => {
    const token = onlyValue(new URLSearchParams(queryOf(request)), "jwtToken");
    personOf(await verifyToken(token, "presence", settings));
    const content = html`<p>Somebody logs in with your account from outside the office.</p>
      <button type="button" id="confirm">It is me</button>
      <button type="button" id="deny">It is not me</button>
      <p id="notice" role="status"></p>
      <script src="${sdk}"></script>
      <script type="module" src="page.js"></script>`;
    return page(layout, "Are you there?", content);
  });

  const showScript = async () => text(200, "text/javascript; charset=utf-8", PAGE_SCRIPT);

  /** Answers the page's own call with a code for the user of its token. */
  const confirm = async (request) => {
    const person = personOf(await verifyToken(bearerToken(request), "presence", settings));
    return json(200, { code: codes.issue({ ...person, moduleKey: "presence" }) });
  };

  const firstRule = ({ ipAddress }) =>
    isInNetworks(ipAddress, outsideNetworks) ? "Confirm that it is you who logs in." : null;
  return {
    "/guards/presence": { POST: guardWithPage("presence", settings, codes, firstRule) },
    "/guards/presence/page": { GET: show, HEAD: show },
    "/guards/presence/page.js": { GET: showScript, HEAD: showScript },
    "/guards/presence/confirm": { POST: confirm },
  };
}

/** Served at its own address, so that the page's policy need not allow inline scripts. */
const PAGE_SCRIPT = `const notice = document.getElementById("notice");
const confirm = document.getElementById("confirm");
const deny = document.getElementById("deny");

async function fetchCode() {
  const token = new URLSearchParams(location.search).get("jwtToken");
  const response = await fetch("confirm", { method: "POST", headers: { authorization: "Bearer " + token } });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error.message);
  return answer.code;
}

// The buttons stay disabled once the outcome is reported, because a login has only one outcome.
async function report(getOutcome) {
  confirm.disabled = deny.disabled = true;
  try {
    if (typeof AP === "undefined") throw new Error("the platform's script did not load");
    AP.verifyAuth(await getOutcome());
    notice.textContent = "Thank you. The platform goes on with your login.";
  } catch (error) {
    notice.textContent = "That did not work (" + error.message + "). Try again, or reload the page.";
    confirm.disabled = deny.disabled = false;
  }
}

confirm.addEventListener("click", () => report(async () => ({ code: await fetchCode() })));
deny.addEventListener("click", () => report(async () => ({ error: "The user said “It is not me”." })));
`;
