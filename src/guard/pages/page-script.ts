/**
 * What the pages of the platform do beside showing themselves. Every page works without it; with it a page stays in
 * step with its login, shows the authenticator's code of this moment, and fills in what is right.
 */
export const PAGE_SCRIPT = `"use strict";

// A page from the history may be of an earlier stage.
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});

// Once: the page that comes then sees to what has changed since.
let isLeaving = false;
function leave() {
  if (isLeaving) return;
  isLeaving = true;
  stream?.close();
  location.reload();
}

const main = document.querySelector("main[data-events]");
const notice = document.querySelector("[role=status]");
const LOST = "app-sim does not answer. Is it still running? This page tries again.";
let stream = null;

function follow() {
  stream = new EventSource(main.dataset.events);
  stream.onopen = () => document.getElementById("lost")?.remove();
  stream.onmessage = ({ data }) => {
    const { page, troubles } = JSON.parse(data);
    if (page === main.dataset.page) showTroubles(troubles);
    else leave();
  };
  stream.onerror = () => {
    if (stream.readyState === EventSource.CLOSED) leave();
    else if (document.getElementById("lost") === null) notice.append(paragraph("warning", LOST, "lost"));
  };
}

function paragraph(className, text, id = "") {
  const element = document.createElement("p");
  element.className = className;
  element.textContent = text;
  if (id !== "") element.id = id;
  return element;
}

function showTroubles(troubles) {
  document.getElementById("troubles")?.replaceChildren(
    ...troubles.map(({ reason, hint }) => {
      const trouble = document.createElement("div");
      trouble.className = "trouble";
      trouble.append(paragraph("reason", reason));
      if (hint !== null) trouble.append(paragraph("hint", "Hint: " + hint));
      return trouble;
    }),
  );
}

// A browser opens few connections to one server: pages that nobody sees must not hold them.
if (main !== null) {
  addEventListener("visibilitychange", () => {
    stream?.close();
    if (!document.hidden && !isLeaving) follow();
  });
  if (!document.hidden) follow();
}

// A second click would send the form again.
for (const form of document.forms) {
  form.addEventListener("submit", (event) => {
    if (form.dataset.sent === "yes") event.preventDefault();
    form.dataset.sent = "yes";
  });
}

function rightValue({ right, from }) {
  if (right !== undefined) return right;
  const source = document.getElementById(from);
  return source instanceof HTMLSelectElement ? source.selectedOptions[0].dataset.right : source.textContent;
}

for (const button of document.querySelectorAll("button[data-fill]")) {
  button.hidden = false;
  button.addEventListener("click", () => {
    const field = document.getElementById(button.dataset.fill);
    field.value = rightValue(button.dataset);
    field.focus();
  });
}

const panel = document.querySelector("[data-authenticator]");
if (panel !== null) {
  const code = document.getElementById("authenticator-code");
  const left = document.getElementById("authenticator-left");
  setInterval(async () => {
    const seconds = Number(left.textContent) - 1;
    if (seconds > 0) {
      left.textContent = String(seconds);
      return;
    }
    const response = await fetch(panel.dataset.authenticator);
    if (!response.ok) return;
    const now = await response.json();
    code.textContent = now.code;
    left.textContent = String(now.secondsLeft);
  }, 1000);
}
`;
