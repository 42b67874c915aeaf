import { CONTROL, PREPARATION, SEARCH } from "../../checking/evidence.ts";
import { type LoginRow, loginTable } from "../../guard/rules/login-table.ts";
import type { InstalledGuard } from "../../guard-checks/call.ts";
import type { Exchange } from "../../journal/exchange.ts";
import { bodyText } from "../../journal/journal.ts";
import { answeredJson } from "../../journal/readable-body.ts";
import { joinUrl } from "../../protocol/url.ts";

/** The roles of entirely correct requests: answers to others do not count as rows. */
const rightRoles: readonly string[] = [SEARCH, CONTROL, PREPARATION];

/**
 * The rows of the table of interface 3.1 that answers of guards show: yes and no on the first call, yes and no on the
 * final one, and a page that issued a valid code. Returns with an error are not among them.
 * @param exchanges the run's exchanges
 */
export function loginRowsTaken(exchanges: readonly Exchange[], guards: readonly InstalledGuard[]): Set<LoginRow> {
  const called = guards.map(({ installed: { app }, module }) => ({ module, url: joinUrl(app.url, module.url) }));
  return new Set(exchanges.filter(({ purpose }) => purpose === "guard").flatMap((call) => rowsOfCall(call, called)));
}

/** A guard, and the address that its calls go to. */
type CalledGuard = Pick<InstalledGuard, "module"> & { readonly url: string | null };

function rowsOfCall(call: Exchange, guards: readonly CalledGuard[]): LoginRow[] {
  const guard = guards.find(({ module, url }) => module.key === call.module && url === call.request.url);
  const success = call.response?.status === 200 ? valueAt(answeredJson(call), "success") : null;
  if (guard === undefined || typeof success !== "boolean") return [];
  const { type } = guard.module;
  const isFinal = valueAt(sentJson(call), "code") !== undefined;
  const isRight = rightRoles.includes(call.check?.role ?? "");
  // A code that the app never issued is how a final call is denied; on a first call the fault may be the reason.
  if (!isRight && (success || !isFinal)) return [];
  const at = isFinal ? "awaiting final verification" : "pending";
  return loginTable.filter(
    (row) =>
      (row.state === at && row.trigger === `success ${success}` && (row.type === null || row.type === type)) ||
      (isFinal && success && row.type === type && row.next === "awaiting final verification"),
  );
}

function sentJson({ request }: Exchange): unknown {
  try {
    return JSON.parse(bodyText(request.body));
  } catch {
    return undefined;
  }
}

function valueAt(json: unknown, name: string): unknown {
  return (json as Readonly<Record<string, unknown>> | null | undefined)?.[name];
}
