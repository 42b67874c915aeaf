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
}
