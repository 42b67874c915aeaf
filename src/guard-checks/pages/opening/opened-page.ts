import type { CheckFacts, Evidence, TrialCheck } from "../../../checking/check.ts";
import { faulty, PASSED, skipVerdict } from "../../../checking/verdict.ts";
import type { Exchange } from "../../../journal/exchange.ts";
import type { SimulatorContext } from "../../../platform/context.ts";
import { returnOf } from "../walk/answer.ts";
import type { OpenPageTools } from "../walk/tools.ts";

/** What the checks of a page know about the platform. */
export interface PagePlatform {
  /** Its address, without a trailing slash. */
  readonly url: string;
  /** The organization's domain; null: it has none. */
  readonly domain: string | null;
}

/** What they know about the platform of a run. */
export function platformOf({ baseUrl, config }: Pick<SimulatorContext, "baseUrl" | "config">): PagePlatform {
  return { url: baseUrl(), domain: config.organization.domain };
}

/** A check that opens the page once, and looks at the answer. */
export function openedPageCheck(
  facts: Omit<CheckFacts, "area">,
  look: (answer: NonNullable<Exchange["response"]>, landing: Exchange) => string | null,
): TrialCheck<OpenPageTools> {
  const check: TrialCheck<OpenPageTools> = {
    area: "page",
    ...facts,
    run: async (tools) => void (await tools.send("opened", await tools.prepare())),
    judge: (evidence) => {
      const landing = landingIn(evidence, "opened");
      if (landing?.response == null) return skipVerdict("the page was not answered");
      if (returnOf(landing) !== null) return skipVerdict("the page sends the user back immediately");
      const fault = look(landing.response, landing);
      return fault === null ? PASSED : faulty(check, fault);
    },
  };
  return check;
}

function landingIn(evidence: Evidence, role: string): Exchange | null {
  const step = evidence.steps.find((each) => each.role === role);
  return step === undefined ? null : evidence.landing(step.exchange);
}
