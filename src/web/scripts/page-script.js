/** What every page of the platform does apart from showing itself. Every page works without it. */
export function pageScript() {
  // A page from the history may be out of date.
  addEventListener("pageshow", (event) => {
    if (event.persisted) location.reload();
  });

  // A second click would send the form again.
  for (const form of document.forms) {
    form.addEventListener("submit", (event) => {
      if (form.dataset.sent === "yes") event.preventDefault();
      form.dataset.sent = "yes";
    });
  }

  // Addresses that belong in the app's configuration.
  for (const address of document.querySelectorAll("[data-copy]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.setAttribute("aria-label", `Copy ${address.textContent}`);
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(address.textContent ?? "");
      button.textContent = "Copied";
    });
    address.after(" ", button);
  }

  for (const left of document.querySelectorAll("[data-seconds-left]")) {
    setInterval(() => {
      left.textContent = String(Math.max(0, Number(left.textContent) - 1));
    }, 1000);
  }
}
