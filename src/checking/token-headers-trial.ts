import { withBypassHeaders, withProxyHeaders, withTestersAgent } from "./bypass.ts";
import type { TrialCheck } from "./check.ts";
import { judgeTokens, NO_TOKEN } from "./judge-token.ts";
import type { RequestParts } from "./request-parts.ts";
import { withStrangersSignature } from "./token-twin.ts";
import type { TokenPlace } from "./token-twins.ts";
import { PASSED, skipVerdict } from "./verdict.ts";

/** The headers that a request cannot do without. */
const NEEDED = /^(authorization|content-type|cookie)$/i;

/** Without the length of the body: code that looks at it finds none. */
const IN_CHUNKS = "in chunks";

const changes: Readonly<Record<string, (request: RequestParts) => RequestParts>> = {
  'with headers such as "X-Debug: true"': (request) => withBypassHeaders(request, "true"),
  'with headers such as "X-Debug: 1", and without User-Agent': (request) =>
    withBypassHeaders({ ...request, headers: request.headers.filter(([name]) => NEEDED.test(name)) }, "1"),
  'with headers such as "X-Forwarded-For: 127.0.0.1"': withProxyHeaders,
  "with the User-Agent of curl": withTestersAgent,
  [IN_CHUNKS]: (request) => (request.body === null ? request : { ...request, chunked: true }),
};

/** The check of forged tokens in requests with other headers: an attacker chooses all of them. */
export function tokenHeadersTrial({ prefix, area, what }: TokenPlace): TrialCheck {
  const check: TrialCheck = {
    id: `${prefix}.other-headers`,
    area,
    title: `${what} refuses a forged token, whatever the other headers are`,
    section: "5.1",
    severity: "must",
    why: "An attacker chooses all headers of a request. One that developers use while they test, or that a proxy usually sets, must not replace the token.",
    fix: "Verify the token in every request, and remove whatever bypasses that. For tests, sign tokens: `app-sim token` prints some.",
    run: async ({ prepare, send }) => {
      for (const [role, change] of Object.entries(changes)) {
        const forged = withStrangersSignature(await prepare());
        if (forged !== null) await send(role, change(forged));
      }
    },
    judge: ({ steps, read }) => {
      if (steps.length === 0) return skipVerdict(NO_TOKEN);
      // The platform sends no such headers and no chunks: an app need not cope with them, as long as it lets nobody in.
      const coped = steps.filter(
        ({ role, exchange }) =>
          read(exchange).kind === "accepted" || (role !== IN_CHUNKS && (exchange.response?.status ?? 0) < 500),
      );
      return judgeTokens(check, { steps: coped, read }, (role) => ` to a request ${role}`) ?? PASSED;
    },
  };
  return check;
}
