/**
 * The platform's side of a frame guard (interface 3.1, 4.2; hardening S12): accepts messages only from host.js in the
 * app's page, and passes the outcome on to the platform.
 */
export function frameScript() {
  // How long host.js may take to run: after the page has loaded, or after the start if it never does.
  const LOADED_PAGE_TIMEOUT_MS = 3000;
  const PAGE_TIMEOUT_MS = 10000;
  // The platform must learn that the page never reported before a walk of it gives up.
  const REPORT_MARGIN_MS = 3000;

  const MAX_PROBLEM_LENGTH = 300;

  let hasSdk = false;
  let isMisused = false;
  let isReported = false;

  function frame() {
    return /** @type {HTMLIFrameElement | null} */ (document.querySelector("iframe[data-report]"));
  }

  /** @param {{ code?: unknown, error?: unknown, trouble?: "no-sdk" | "no-report" | "misuse", problem?: string }} outcome */
  async function report(outcome) {
    const { report = "", state } = frame()?.dataset ?? {};
    return fetch(report, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ state, ...outcome }),
    });
  }

  /** @param {string} text */
  function showState(text) {
    const state = document.getElementById("frame-state");
    if (state !== null) state.textContent = text;
  }

  /** @param {{ code?: unknown, error?: unknown }} outcome */
  async function reportOutcome({ code, error }) {
    if (isReported) return;
    isReported = true;
    showState("The page has reported its outcome.");
    try {
      const { ok, status } = await report({ code, error });
      // 409: another page of this login was first. In both cases this page is about to reload.
      if (ok || status === 409) return;
      // The report failed, so the page may report again.
      isReported = false;
      showState(`The page has reported its outcome, but app-sim refused it with status ${status}.`);
    } catch {
      isReported = false;
      showState("The page has reported its outcome, but app-sim does not answer. Is it still running?");
    }
  }

  /** @param {"no-sdk" | "no-report"} trouble */
  function reportTrouble(trouble) {
    if (!isReported) report({ trouble }).catch(() => {});
  }

  addEventListener("message", ({ source, origin, data }) => {
    const element = frame();
    if (element === null || source !== element.contentWindow || origin !== element.dataset.origin) return;
    if (typeof data !== "object" || data === null) return;
    if (data.type === "app-sim:ready") hasSdk = true;
    if (data.type === "app-sim:verify-auth") reportOutcome(data);
    if (data.type === "app-sim:misuse" && !isMisused && !isReported) {
      isMisused = true;
      const problem = String(data.problem).slice(0, MAX_PROBLEM_LENGTH);
      report({ trouble: "misuse", problem }).catch(() => {});
    }
  });

  addEventListener("DOMContentLoaded", () => {
    let isAsked = false;
    const askWhySilent = () => {
      if (hasSdk || isAsked) return;
      isAsked = true;
      reportTrouble("no-sdk");
    };
    const timeLeftMs = Number(frame()?.dataset.timeLeft);
    // A window's load event fires after its frames have loaded.
    addEventListener("load", () => setTimeout(askWhySilent, Math.min(LOADED_PAGE_TIMEOUT_MS, timeLeftMs / 4)));
    setTimeout(askWhySilent, PAGE_TIMEOUT_MS);
    setTimeout(
      () => {
        if (hasSdk && !isMisused) reportTrouble("no-report");
      },
      Math.max(timeLeftMs - REPORT_MARGIN_MS, timeLeftMs / 2),
    );
  });
}
