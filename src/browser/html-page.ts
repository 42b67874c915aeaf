import type { ContentPolicy } from "./content-policy.ts";
import type { HtmlForm } from "./html-form.ts";

/** A link of a page. */
export interface Link {
  /** In full. */
  readonly href: string;
  /** Its visible text, in one line. */
  readonly text: string;
}

/** A page of the app, as a browser without scripts sees it. */
export interface HtmlPage {
  readonly url: string;
  readonly forms: readonly HtmlForm[];
  readonly links: readonly Link[];
  /** Full address of the page that it refreshes to; null if it does not. */
  readonly refresh: string | null;
  readonly hasScripts: boolean;
  /** Full addresses of the scripts that it loads. */
  readonly scripts: readonly string[];
  /** The code of its inline scripts. */
  readonly inlineScripts: readonly string[];
  /** The text of buttons that belong to no form. */
  readonly loneButtons: readonly string[];
  /** Those of them that are neither hidden nor disabled until a script changes that. */
  readonly shownButtons: readonly string[];
  /** The text of other elements that only a script handles: an `onclick`, and no address to go to. */
  readonly clickables: readonly string[];
  /** Its visible text, in one line. */
  readonly text: string;
  /** How much of its address it reveals to others (Referrer Policy); "" if it does not say. */
  readonly referrerPolicy: string;
  /** Its Content-Security-Policies, from its headers and from the page itself. */
  readonly policies: readonly ContentPolicy[];
}
