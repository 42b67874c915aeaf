import { type ReactNode, useEffect, useRef } from "react";
import { keyTexts } from "./use-keys.ts";

/** A window over the page, which keeps the keyboard focus until it is closed. */
function Dialog({ title, onClose, children }: { title: string; onClose: () => void; children: ReactNode }): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} onClose={onClose} aria-label={title}>
      <div className="pane-head">
        <h2>{title}</h2>
        <button type="button" className="plain close" onClick={onClose}>
          Close
        </button>
      </div>
      {children}
    </dialog>
  );
}

export function HelpDialog({ onClose }: { onClose: () => void }): ReactNode {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl className="keys">
        {keyTexts.map(([key, text]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

/** The content of the page before it became the inspector: the addresses for the app, and the link to the login. */
export function HomeDialog({ home, onClose }: { home: Element | null; onClose: () => void }): ReactNode {
  return (
    <Dialog title={home?.querySelector("h1")?.textContent ?? "About"} onClose={onClose}>
      <div
        className="home"
        ref={(place) => {
          if (place === null || home === null) return;
          place.replaceChildren(...[...home.children].slice(1).map((child) => child.cloneNode(true)));
        }}
      />
    </Dialog>
  );
}
