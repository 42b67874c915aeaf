import type { Evidence } from "../../../checking/check.ts";
import { everythingIn } from "../walk/answer.ts";

const compactJwt = /^eyJ[\w-]+\.[\w-]+\.[\w-]*$/;

/** Whether the page of one of two logins, which were opened in these roles, held the token of the other. */
export function holdsOthersToken({ steps, landing }: Evidence, [one, other]: readonly [string, string]): boolean {
  const opened = (role: string) => steps.filter((step) => step.role === role).map(({ exchange }) => exchange);
  const tokensOf = (role: string) =>
    opened(role).flatMap(({ request }) =>
      new URL(request.url).searchParams.getAll("jwtToken").filter((text) => compactJwt.test(text)),
    );
  const holds = (role: string, token: string) =>
    opened(role).some((exchange) => everythingIn(landing(exchange)).includes(token));
  return tokensOf(one).some((token) => holds(other, token)) || tokensOf(other).some((token) => holds(one, token));
}
