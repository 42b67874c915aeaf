import type { ContentPolicy } from "./content-policy.ts";
import type { HtmlForm } from "./html-form.ts";

/** A link of a page. */
export interface Link {
  /** In full. */
  readonly href: string;
  /** What a person reads on it, in one line. */
  readonly text: string;
}

/** A page of the app, as a browser without scripts sees it. */
export interface HtmlPage {
  readonly url: string;
  readonly forms: readonly HtmlForm[];
  readonly links: readonly Link[];
  /** Full address of the page that it goes on to by itself; null: it does not. */
  readonly refresh: string | null;
  readonly hasScripts: boolean;
  /** Full addresses of the scripts that it loads. */
  readonly scripts: readonly string[];
  /** The code of the scripts that stand in it. */
  readonly inlineScripts: readonly string[];
  /** What a person reads on the buttons that belong to no form. */
  readonly loneButtons: readonly string[];
  /** Of these, those that are neither hidden nor disabled until a script says otherwise. */
  readonly shownButtons: readonly string[];
  /** What a person reads on whatever else is there for a script alone: an `onclick`, and no address to lead to. */
  readonly clickables: readonly string[];
  /** What a person reads on it, in one line. */
  readonly text: string;
  /** How much of its address it lets others see (Referrer Policy); "" where it does not say. */
  readonly referrerPolicy: string;
  /** Its Content-Security-Policies, from its headers and from the page itself. */
  readonly policies: readonly ContentPolicy[];
}
