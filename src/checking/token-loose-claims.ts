import type { TrialCheck } from "./check.ts";
import { judgeToken } from "./judge-token.ts";
import { firstHalf } from "./other-value.ts";
import { withClaims } from "./request-parts.ts";
import type { TokenPlace } from "./token-twins.ts";
import { PASSED, skipVerdict } from "./verdict.ts";

/** Wrong values of a claim that a careless comparison accepts. */
type LooseValues = Readonly<Record<string, (right: string) => unknown>>;

const inOtherCase = (right: string) => (right === right.toUpperCase() ? right.toLowerCase() : right.toUpperCase());

const looseValues: LooseValues = {
  "is missing": () => undefined,
  "is the right one in another letter case": inOtherCase,
  "is the first half of the right one": firstHalf,
  // Matches a pattern whose ^ and $ match at line ends.
  "is the right one on a second line": (right) => `app-sim\n${right}`,
};
const looseAudiences: LooseValues = {
  ...looseValues,
  // Equal to a further client id that is read from a variable that is not set.
  "is an empty text": () => "",
  "is an empty list": () => [],
  "is a list of others": () => ["app-sim"],
};
const looseModules: LooseValues = { ...looseValues, "only starts with the right one": (right) => `${right}-2` };

/**
 * The checks of how the claims `aud` and `module` are compared, for places whose correct request needs no steps before
 * it: an app verifies with one function, so what it overlooks here it overlooks everywhere.
 */
export function looseClaimTrials({ prefix, area, what }: TokenPlace): TrialCheck[] {
  return [
    looseClaimTrial(
      "aud",
      looseAudiences,
      {
        id: `${prefix}.audience-loose`,
        area,
        title: `${what} refuses a token whose aud is missing, or only similar to the client id`,
        section: "RFC 7519, 4.1.3",
        why: "A comparison that is skipped if the claim is missing, or that looks only at the claim's beginning, does not bind a token to one app. A token for something else then opens this app, too.",
      },
      "Require `aud`, and compare it with the client id for exact equality: JWT libraries do, once they know the client id.",
    ),
    looseClaimTrial(
      "module",
      looseModules,
      {
        id: `${prefix}.module-loose`,
        area,
        title: `${what} refuses a token whose module is missing, or only similar to the module's key`,
        section: "5.1",
        why: "Module keys are often similar. A comparison that is skipped if the claim is missing, or that looks only at the claim's beginning, accepts one module's token for another.",
      },
      "Require the claim `module`, and compare it with the module's key for exact equality.",
    ),
  ];
}

function looseClaimTrial(
  claim: "aud" | "module",
  values: LooseValues,
  facts: Pick<TrialCheck, "id" | "area" | "title" | "section" | "why">,
  fix: string,
): TrialCheck {
  const check: TrialCheck = {
    ...facts,
    severity: "should",
    choices: ["guard.jwt.claims"],
    fix,
    run: async (tools) => {
      for (const [role, change] of Object.entries(values)) {
        const request = await tools.prepare();
        const right = request.token?.claims[claim];
        if (typeof right !== "string") return;
        const value = change(right);
        // Half of a single character is the character, and digits have no case.
        const loose = value === right ? null : withClaims(request, { [claim]: value });
        if (loose !== null) await tools.send(role, loose);
      }
    },
    judge: ({ steps, read }) => {
      const verdicts = steps.map(({ role, exchange }) => {
        const { kind, says } = read(exchange);
        return judgeToken(check, kind, `${says} to a token whose ${claim} ${role}`);
      });
      if (verdicts.length === 0) return skipVerdict(`its tokens have no ${claim}`);
      return verdicts.find(({ result }) => result !== "pass") ?? PASSED;
    },
  };
  return check;
}
