import { createRoot } from "react-dom/client";
import { Inspector } from "./inspector.tsx";
import { JournalStore } from "./journal-store.ts";
import { forgetKey, keptKey, type TakenKey, takeCode, takeKey } from "./key.ts";
import { Server } from "./server.ts";

/**
 * Turns the platform's page into the inspector, if this browser has the key of this run; otherwise it stays as it is.
 */
export function openInspector(view: Window): void {
  const { document, localStorage } = view;
  const code = takeCode(view);
  // Before anything is drawn: the page below would flash up.
  const mayOpen = code !== null || keptKey(localStorage) !== null;
  document.documentElement.classList.toggle("has-inspector", mayOpen);
  document.addEventListener("DOMContentLoaded", async () => {
    const taken = await takeKey(localStorage, code);
    if ("key" in taken) showInspector(view, taken.key);
    else explainKey(document, missingTexts[taken.missing]);
  });
}

function showInspector({ document, localStorage }: Window, key: string): void {
  const home = document.querySelector("main");
  const place = document.createElement("div");
  place.className = "inspector";
  document.body.append(place);
  document.title = "Inspector · app-sim";
  const server = new Server(key);
  const root = createRoot(place);
  const leave = () => {
    forgetKey(localStorage);
    root.unmount();
    place.remove();
    explainKey(document, missingTexts.old);
  };
  root.render(<Inspector server={server} store={new JournalStore(server)} home={home} onRefused={leave} />);
}

type Missing = Extract<TakenKey, { readonly missing: string }>["missing"] | "old";

const missingTexts: Readonly<Record<Missing, string>> = {
  "never-given":
    "To see every exchange here, open the link that app-sim printed when it started, or run: app-sim inspect --open",
  spent: "This link was opened before, or is from an earlier run. For a new one, run: app-sim inspect --open",
  old: "This browser has the key of an earlier run. Open the link that app-sim printed, or run: app-sim inspect --open",
};

function explainKey(document: Document, text: string): void {
  document.documentElement.classList.remove("has-inspector");
  const hint = document.createElement("p");
  hint.className = "card";
  hint.textContent = text;
  document.querySelector("main h1")?.after(hint);
}
