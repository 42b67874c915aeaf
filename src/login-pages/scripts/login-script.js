/**
 * The script of a login's pages. Every page works without it; with it a page follows its login, shows the
 * authenticator's current code, and fills in the right values on request.
 */
export function loginScript() {
  /** @type {EventSource | null} */
  let stream = null;
  // Set once: the next page shows later changes.
  let isLeaving = false;

  function leave() {
    if (isLeaving) return;
    isLeaving = true;
    stream?.close();
    location.reload();
  }

  /** @param {HTMLElement} main */
  function follow(main) {
    const events = new EventSource(main.dataset.events ?? "");
    stream = events;
    events.onopen = () => document.getElementById("lost")?.remove();
    events.onmessage = ({ data }) => {
      const { page, troubles } = JSON.parse(data);
      if (page === main.dataset.page) showTroubles(troubles);
      else leave();
    };
    events.onerror = () => {
      if (events.readyState === EventSource.CLOSED) leave();
      else showConnectionLost();
    };
  }

  function showConnectionLost() {
    if (document.getElementById("lost") !== null) return;
    const notice = paragraph("warning", "app-sim does not answer. Is it still running? This page tries again.");
    notice.id = "lost";
    document.querySelector("[role=status]")?.append(notice);
  }

  /** @param {readonly { reason: string, hint: string | null }[]} troubles */
  function showTroubles(troubles) {
    document.getElementById("troubles")?.replaceChildren(
      ...troubles.map(({ reason, hint }) => {
        const trouble = document.createElement("div");
        trouble.className = "trouble";
        trouble.append(paragraph("reason", reason));
        if (hint !== null) trouble.append(paragraph("hint", `Hint: ${hint}`));
        return trouble;
      }),
    );
  }

  /**
   * @param {string} className
   * @param {string} text
   */
  function paragraph(className, text) {
    const element = document.createElement("p");
    element.className = className;
    element.textContent = text;
    return element;
  }

  /** @param {HTMLButtonElement} button */
  function offerRightValue(button) {
    const { fill = "", right, from = "" } = button.dataset;
    const source = document.getElementById(from);
    const selected = () => (source instanceof HTMLSelectElement ? source.selectedOptions[0]?.dataset.right : undefined);
    button.hidden = false;
    button.addEventListener("click", () => {
      const field = document.getElementById(fill);
      if (!(field instanceof HTMLInputElement)) return;
      field.value = right ?? selected() ?? source?.textContent ?? "";
      field.form?.requestSubmit();
    });
  }

  /**
   * @param {string} address
   * @param {HTMLElement} code
   * @param {HTMLElement} left
   */
  async function showCode(address, code, left) {
    const seconds = Number(left.textContent) - 1;
    if (seconds > 0) {
      left.textContent = String(seconds);
      return;
    }
    const response = await fetch(address);
    if (!response.ok) return;
    const current = await response.json();
    code.textContent = current.code;
    left.textContent = String(current.secondsLeft);
  }

  const main = /** @type {HTMLElement | null} */ (document.querySelector("main[data-events]"));
  if (main !== null) {
    // Browsers limit connections per server: a hidden page must not hold one.
    addEventListener("visibilitychange", () => {
      stream?.close();
      if (!document.hidden && !isLeaving) follow(main);
    });
    // The page that a form leads to shows every change. Reloading this one at the same time can leave Chromium with neither.
    addEventListener("submit", () => {
      isLeaving = true;
      stream?.close();
    });
    if (!document.hidden) follow(main);
  }

  const buttons = /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll("button[data-fill]"));
  for (const button of buttons) offerRightValue(button);

  const panel = /** @type {HTMLElement | null} */ (document.querySelector("[data-authenticator]"));
  const code = document.getElementById("authenticator-code");
  const left = document.getElementById("authenticator-left");
  if (panel !== null && code !== null && left !== null) {
    setInterval(() => showCode(panel.dataset.authenticator ?? "", code, left), 1000);
  }
}
