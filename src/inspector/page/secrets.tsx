import { createContext, type ReactNode, useContext, useState } from "react";
import { harmless } from "../../protocol/harmless.ts";
import { splitAtHidden } from "../hidden-marks.ts";
import type { HiddenPart } from "../view.ts";

/** Requests one secret of the shown exchange from the platform; null if that is not possible. */
export const RevealContext = createContext<((part: HiddenPart) => Promise<string>) | null>(null);

type Where = Omit<HiddenPart, "nth">;

/** A text in which each hidden secret can be revealed individually. @param first number of the first one in the text */
export function WithSecrets({ text, where, first = 0 }: { text: string; where: Where; first?: number }): ReactNode {
  const {
    literals: [start = "", ...rest],
    marks,
  } = splitAtHidden(text);
  if (rest.length === 0) return harmless(start);
  return (
    <>
      {harmless(start)}
      {rest.map((literal, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a secret is known by its number alone
        <span key={index}>
          <OneSecret part={{ ...where, nth: first + index }} label={marks[index] ?? ""} />
          {harmless(literal)}
        </span>
      ))}
    </>
  );
}

/** How many secrets are hidden in a text. */
export function hiddenIn(text: string): number {
  return splitAtHidden(text).marks.length;
}

/** One hidden secret, as a button that reveals and hides it. */
export function OneSecret({ part, label }: { part: HiddenPart; label: string }): ReactNode {
  const reveal = useContext(RevealContext);
  const [shown, setShown] = useState<string | null>(null);
  if (reveal === null) return label;
  const toggle = async () => {
    if (shown !== null) return setShown(null);
    setShown(await reveal(part).catch((error: Error) => error.message));
  };
  return (
    <button
      type="button"
      className={shown === null ? "secret" : "secret is-shown"}
      onClick={toggle}
      title={shown === null ? "Show this secret" : "Hide it again"}
    >
      <span className="sr-only">{shown === null ? "show " : "hide "}</span>
      {shown === null ? label : harmless(shown)}
    </button>
  );
}
