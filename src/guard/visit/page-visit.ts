import type { PageTrouble, PageWork } from "../../browser/page-work.ts";
import { redactText } from "../../journal/redact.ts";
import type { SimulatorContext } from "../../platform/context.ts";
import { clip, harmlessLine } from "../../protocol/harmless.ts";
import { joinUrl } from "../../protocol/url.ts";
import type { Interaction } from "../login/interaction.ts";
import type { LoginSession } from "../login/login-session.ts";
import type { LoginAddresses } from "./guard-callback.ts";

/** One visit to the page of a guard, in a person's place. */
export interface PageVisit {
  readonly interaction: Interaction;
  readonly work: PageWork;
  readonly login: LoginAddresses;
  /** Whether no later guard of the login may have a page of its own. */
  isLast(): boolean;
  /** Milliseconds until the visit has to end by itself, a little before the platform stops waiting; at least 0. */
  timeLeft(): number;
  /** Ends the login, unless the user is back or the login over. */
  leave(trouble: PageTrouble): void;
  /** What a page or script says, for a message: short, harmless, without what was filled in and the state. */
  quote(text: string): string;
}

/** Shorter values are found in any text, and tell nothing. */
const TELLING_CHARACTERS = 4;
const QUOTED_CHARACTERS = 200;
/** Time to look at the page of a visit that ends by itself, which a busy machine may need. */
const MARGIN_MS = 1000;

/** Creates the visit of an interaction. */
export function beginVisit(
  { config, baseUrl }: SimulatorContext,
  login: LoginSession,
  interaction: Interaction,
  work: PageWork,
): PageVisit {
  const { module, installed } = interaction.guard;
  const marginMs = Math.min(MARGIN_MS, interaction.timeLeft() / 5);
  const app = [installed.app.url, joinUrl(installed.app.url, module.optionsUrl ?? "")];
  const values = Object.values(work.fill)
    .flat()
    .filter(({ length }) => length >= TELLING_CHARACTERS);
  const secrets = [...values, interaction.state];
  return {
    interaction,
    work,
    // Where the platform is may be known only once it listens.
    get login() {
      return { platform: baseUrl(), domain: config.organization.domain, state: interaction.state, app };
    },
    isLast: () => !login.view().stages.some(({ status, type }) => status === "waiting" && type !== "direct" && type),
    timeLeft: () => Math.max(0, interaction.timeLeft() - marginMs),
    // A later stage of the login may be waiting for its user by now.
    leave: (trouble) => {
      if (!interaction.signal.aborted) login.leave(trouble);
    },
    quote: (text) => clip(harmlessLine(redactText(text, secrets).replaceAll(/\s+/g, " ").trim()), QUOTED_CHARACTERS),
  };
}
