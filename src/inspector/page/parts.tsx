import { type ReactNode, useState } from "react";

/** A symbol and a word: colour never carries the meaning alone. */
export function Toned({
  tone,
  children,
}: {
  tone: "good" | "bad" | "caution" | "plain";
  children: ReactNode;
}): ReactNode {
  return <span className={`tone is-${tone}`}>{children}</span>;
}

/** Text as it is, in a box that scrolls. */
export function CodeBox({
  label,
  kind = "",
  children,
}: {
  label: string;
  kind?: string;
  children: ReactNode;
}): ReactNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard has to reach it
    <section className={`code ${kind}`} aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}

/** Copies a text, and confirms it. */
export function CopyButton({ text, label }: { text: string; label: string }): ReactNode {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  };
  return (
    <button type="button" className="plain" onClick={copy} onBlur={() => setCopied(false)}>
      {isCopied ? "Copied" : label}
    </button>
  );
}

/** The equivalent command line, to learn from. */
export function CommandLine({ command }: { command: string }): ReactNode {
  return (
    <div className="command-line">
      <code>{command}</code>
      <CopyButton text={command} label="Copy" />
    </div>
  );
}

/** `14:03:22.117` of an ISO time, in UTC as everywhere in app-sim. */
export function timeText(iso: string): string {
  return iso.slice(iso.indexOf("T") + 1).replace("Z", "");
}

export function sizeText(bytes: number): string {
  return bytes < 10_000 ? `${bytes} B` : `${(bytes / 1000).toFixed(0)} kB`;
}

/** `1 record`, `2 records`. */
export function countWords(count: number, noun: string): string {
  return `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;
}
