/**
 * The platform's side of a frame guard (interface 3.1, 4.2; hardening S12): hears what the app's page says through
 * host.js, and nobody else, and passes it on to the platform.
 */
export const FRAME_SCRIPT = `"use strict";

(() => {
  // From when the page is there, until its host.js should have run; and from the beginning, if it never is.
  const SDK_PATIENCE_MS = 3000;
  const PAGE_PATIENCE_MS = 10000;
  // The platform has to hear that the page never reported before it stops waiting.
  const REPORT_MARGIN_MS = 2000;

  let hasSdk = false;
  let isReported = false;

  const frame = () => document.querySelector("iframe[data-report]");

  async function report(outcome) {
    const { report, state } = frame().dataset;
    return fetch(report, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ state, ...outcome }),
    });
  }

  async function reportOutcome({ code, error }) {
    if (isReported) return;
    isReported = true;
    const state = document.getElementById("frame-state");
    state.textContent = "The page has reported its outcome.";
    try {
      const { ok, status } = await report({ code, error });
      // 409: another page of this login was first. This page is about to be loaded again in both cases.
      if (ok || status === 409) return;
      // Nothing came of it, so what the page says next may.
      isReported = false;
      state.textContent = "The page has reported its outcome, but app-sim refuses it with status " + status + ".";
    } catch {
      isReported = false;
      state.textContent = "The page has reported its outcome, but app-sim does not answer. Is it still running?";
    }
  }

  function reportTrouble(trouble) {
    if (!isReported) report({ trouble }).catch(() => {});
  }

  addEventListener("message", ({ source, origin, data }) => {
    const element = frame();
    if (element === null || source !== element.contentWindow || origin !== element.dataset.origin) return;
    if (typeof data !== "object" || data === null) return;
    if (data.type === "app-sim:ready") hasSdk = true;
    if (data.type === "app-sim:verify-auth") reportOutcome(data);
  });

  addEventListener("DOMContentLoaded", () => {
    let isAsked = false;
    const askWhySilent = () => {
      if (!hasSdk && !isAsked) {
        isAsked = true;
        reportTrouble("no-sdk");
      }
    };
    // A window is loaded when its frames are.
    addEventListener("load", () => setTimeout(askWhySilent, SDK_PATIENCE_MS));
    setTimeout(askWhySilent, PAGE_PATIENCE_MS);
    const timeLeft = Number(frame().dataset.timeLeft);
    setTimeout(
      () => {
        if (hasSdk) reportTrouble("no-report");
      },
      Math.max(timeLeft - REPORT_MARGIN_MS, timeLeft / 2),
    );
  });
})();
`;
