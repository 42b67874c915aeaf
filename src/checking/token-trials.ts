import type { Trial, TrialCheck } from "./check.ts";
import { judgeToken, judgeTokens } from "./judge-token.ts";
import { compactToken, type RequestParts, withClaims, withToken } from "./request-parts.ts";
import { tokenHeadersTrial } from "./token-headers-trial.ts";
import { withOtherPayload } from "./token-signature-twins.ts";
import type { TokenPlace } from "./token-twins.ts";
import { NOTHING_TO_CHANGE, PASSED, skipVerdict } from "./verdict.ts";

/** Lifetime in seconds of a token that will expire. */
const SHORT_LIFE = 2;
/** Seconds between the tries, each shortly after a usual clock tolerance: 0, 5, 10, 30 and 60. */
const WAITS = [3, 5, 5, 20, 30];
/** How many other modules are tried at most. */
const MOST_MODULES = 4;
const [FIRST, UNSEEN, AGAIN] = ["first", "unseen", "again"];

/** Checks of tokens that need more than one request: the same wherever a JWT is accepted (hardening G6, G11). */
export function tokenTrials(place: TokenPlace): TrialCheck[] {
  return [
    otherModuleTrial(place),
    expiredAgainTrial(place),
    seenInPartTrial(place),
    forgedAgainTrial(place),
    tokenHeadersTrial(place),
  ];
}

/** A token that was accepted, after it has expired. */
function expiredAgainTrial({ prefix, area, what }: TokenPlace): TrialCheck {
  const check: TrialCheck = {
    id: `${prefix}.expired-again`,
    area,
    title: `${what} refuses a token that it accepted before, once it has expired`,
    section: "RFC 7519, 4.1.4",
    severity: "must",
    isSlow: true,
    why: "An app that caches valid tokens may never check their expiry again. Anybody who finds such a token in a log gets in.",
    fix: "Verify every token on every call, or forget it at its `exp`.",
    run: async (tools) => {
      const right = await tools.prepare();
      const { iat } = right.token?.claims ?? {};
      const short = withClaims(right, { exp: Number(iat) + SHORT_LIFE });
      if (short?.token == null) return;
      const { claims } = short.token;
      const compact = compactToken(short.token);
      const first = await tools.send(FIRST, short);
      for (const seconds of WAITS) {
        await tools.pause(seconds * 1000);
        // A token with the same expiry that the app has not seen: it shows the app's clock tolerance.
        const unseen = withClaims(await tools.prepare(), { iat: claims.iat, exp: claims.exp });
        const again = withToken(await tools.prepare(), () => ({ respell: () => compact }));
        if (unseen === null || again === null) return;
        const answer = await tools.send(UNSEEN, unseen);
        if (tools.read(answer, first).kind !== "refused") continue;
        await tools.send(AGAIN, again);
        return;
      }
    },
    judge: ({ steps, read, control }) => {
      const kindOf = (role: string | undefined) => {
        const step = steps.findLast((each) => each.role === role);
        return step === undefined ? undefined : read(step.exchange);
      };
      if (kindOf(FIRST)?.kind !== control) return skipVerdict("it refuses tokens that expire soon");
      // An app whose clock stands still refuses only tokens that expired before it was started.
      const last = kindOf(AGAIN) ?? kindOf(UNSEEN);
      if (last === undefined) return skipVerdict("it was not sent");
      return judgeToken(check, last.kind, last.says);
    },
  };
  return check;
}

/** Tokens for the app's other modules. */
function otherModuleTrial({ prefix, area, what }: TokenPlace): TrialCheck {
  const check: TrialCheck = {
    id: `${prefix}.own-other-module`,
    area,
    title: `${what} refuses a token for another module that the app has`,
    section: "5.1",
    severity: "should",
    choices: ["guard.jwt.claims"],
    why: "Each module gets tokens of its own. Without this check, a token for one module, such as a guard that is easy to pass, opens all others.",
    fix: "Compare the claim `module` with the key of the called module, not with a list of all keys.",
    run: async (tools) => {
      for (const module of tools.otherModules.slice(0, MOST_MODULES)) {
        const other = await withModule(tools, module);
        if (other !== null) await tools.send(module, other);
      }
    },
    judge: (evidence) => judgeTokens(check, evidence, () => "") ?? skipVerdict("the app has no other module"),
  };
  return check;
}

/** Tokens that share a part with one that was accepted. */
function seenInPartTrial({ prefix, area, what }: TokenPlace): TrialCheck {
  const check: TrialCheck = {
    id: `${prefix}.seen-in-part`,
    area,
    title: `${what} refuses a token that shares only the signature, or only the claims, with one that it accepted before`,
    section: "RFC 7515, 5.2",
    severity: "must",
    why: "An app that caches its verdict about a token may use only a part of the token as the key. Anybody with one correct token can then make others from it.",
    fix: "Verify every token on every call, or cache verdicts under the whole token.",
    run: async (tools) => {
      const right = await tools.prepare();
      if (right.token === null) return;
      // Some algorithms produce a different signature each time.
      const compact = compactToken(right.token);
      const spelled = (request: RequestParts, text: string) => withToken(request, () => ({ respell: () => text }));
      const seen = spelled(right, compact);
      if (seen !== null) await tools.send(FIRST, seen);
      for (const text of [withOtherPayload(compact), withMadeUpSignature(compact)]) {
        const again = spelled(await tools.prepare(), text);
        if (again !== null) await tools.send(AGAIN, again);
      }
    },
    judge: ({ steps, read, control }) => {
      const [first] = steps.filter(({ role }) => role === FIRST).map(({ exchange }) => read(exchange));
      if (first?.kind !== control) return skipVerdict("it did not accept the first token");
      const verdicts = steps
        .filter(({ role }) => role === AGAIN)
        .map(({ exchange }) => read(exchange))
        .map(({ kind, says }) => judgeToken(check, kind, says));
      return verdicts.find(({ result }) => result !== "pass") ?? PASSED;
    },
  };
  return check;
}

/** The same forged token several times. */
function forgedAgainTrial({ prefix, area, what }: TokenPlace): TrialCheck {
  const check: TrialCheck = {
    id: `${prefix}.forged-again`,
    area,
    title: `${what} refuses the same forged token every time`,
    section: "RFC 7515, 5.2",
    severity: "must",
    why: "An app that remembers a token before it has verified it treats it as known the second time. Sending a forged token twice is then enough to get in.",
    fix: "Verify every token on every call, or remember only tokens that were verified.",
    run: async (tools) => {
      const right = await tools.prepare();
      if (right.token === null) return;
      const forged = withMadeUpSignature(compactToken(right.token));
      for (const role of [FIRST, AGAIN, AGAIN]) {
        const request = withToken(await tools.prepare(), () => ({ respell: () => forged }));
        if (request !== null) await tools.send(role, request);
      }
    },
    judge: ({ steps, read }) => {
      const [first, ...later] = steps.map(({ exchange }) => read(exchange));
      if (first === undefined) return NOTHING_TO_CHANGE;
      if (first.kind !== "refused") return skipVerdict("it does not refuse it the first time");
      const verdicts = later.map(({ kind, says }) => judgeToken(check, kind, says));
      return verdicts.find(({ result }) => result !== "pass") ?? PASSED;
    },
  };
  return check;
}

function withMadeUpSignature(compact: string): string {
  return `${compact.slice(0, compact.lastIndexOf(".") + 1)}${"A".repeat(43)}`;
}

async function withModule(tools: Trial, module: string): Promise<RequestParts | null> {
  const request = await tools.prepare();
  return request.token?.claims.module === undefined ? null : withClaims(request, { module });
}
