import { callApp } from "../app-client/call-app.ts";
import { encodeRequest } from "../checking/request-parts.ts";
import { NotPrepared } from "../checking/subject.ts";
import type { VerifyContext } from "../checking/verify-context.ts";
import type { ChoiceReader } from "../config/choices.ts";
import type { Exchange } from "../journal/exchange.ts";
import { bodyText } from "../journal/journal.ts";
import { SMALL_ANSWER_LIMIT_BYTES } from "../protocol/limits.ts";
import type { InstalledGuard, Person } from "./call.ts";
import {
  askFirst,
  type PageWalk,
  type PageWay,
  pageRequest,
  WALK_LIMIT_MS,
  walkAsPerson,
  walkPage,
} from "./pages/walk.ts";

/** Makes the page of a guard issue a code, after the first call that sends its user there. */
export type CodeSource = (context: VerifyContext) => Promise<string>;

/** How the codes of a guard are got. */
interface CodeParts {
  readonly choices: ChoiceReader;
  readonly guard: InstalledGuard;
  readonly person: Person;
  readonly way: PageWay;
}

/** Gets each code by walking the page. */
export function walkedCodes({ choices, guard, person, way }: CodeParts): CodeSource {
  return async (context) => {
    const { outcome, trouble } = await walkAsPerson(context, choices, guard, person, way);
    if (outcome !== null && "code" in outcome) return outcome.code;
    throw new NotPrepared(trouble?.reason ?? "the app's page came back with an error");
  };
}

/**
 * Gets each code by the request with which the page's script gets one, with another token: a browser for each would take
 * long.
 * @returns null where the page shows no such request
 */
export async function replayedCodes(context: VerifyContext, parts: CodeParts): Promise<CodeSource | null> {
  const { choices, guard, person } = parts;
  const { walk, token } = await walkOnce(context, parts);
  const code = walk.outcome !== null && "code" in walk.outcome ? walk.outcome.code : null;
  const source = walk.exchanges.findLast(({ response }) => response !== null && pathTo(response.body, code) !== null);
  if (code === null || source?.response == null) return null;
  const path = pathTo(source.response.body, code) ?? [];
  return async (tagged) => {
    await askFirst(tagged, choices, guard, person);
    const fresh = await freshToken(tagged, choices, guard, person);
    const called = await callApp(tagged, "guard-page", guard.module.key, {
      ...withToken(source, token, fresh),
      timeoutMs: WALK_LIMIT_MS,
      sizeLimit: SMALL_ANSWER_LIMIT_BYTES,
    });
    const issued = called.ok ? valueAt(parsed(Buffer.from(called.answer.body).toString()), path) : null;
    if (typeof issued === "string" && issued !== "") return issued;
    throw new NotPrepared("the app issued no code for the request of its page");
  };
}

async function walkOnce(
  context: VerifyContext,
  { choices, guard, person, way }: CodeParts,
): Promise<{ readonly walk: PageWalk; readonly token: string }> {
  await askFirst(context, choices, guard, person);
  const state = context.ids.secret();
  const { url } = encodeRequest(await pageRequest(context, choices, guard, person, state));
  const walk = await walkPage(context, { guard, url, state, way });
  return { walk, token: tokenIn(url) };
}

async function freshToken(context: VerifyContext, choices: ChoiceReader, guard: InstalledGuard, person: Person) {
  return tokenIn(encodeRequest(await pageRequest(context, choices, guard, person, "")).url);
}

function tokenIn(url: string): string {
  return new URL(url).searchParams.get("jwtToken") ?? "";
}

/** Header lines that a connection has of its own. */
const ownLines = /^(:.*|host|connection|content-length|accept-encoding|transfer-encoding)$/i;

/** The same request with another token, wherever the first one stands. */
function withToken({ request }: Exchange, old: string, fresh: string) {
  const swap = (text: string) => (old === "" ? text : text.replaceAll(old, fresh));
  const headers = request.headers
    .filter(([name]) => !ownLines.test(name))
    .map(([name, value]) => [name, swap(value)] as const);
  return {
    method: request.method === "POST" ? ("POST" as const) : ("GET" as const),
    url: swap(request.url),
    headers: [...headers, ["Accept-Encoding", "identity"] as const],
    body: Buffer.from(swap(bodyText(request.body))),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The names that lead to a text in a JSON body; null: it is not there. */
function pathTo(body: Parameters<typeof bodyText>[0], wanted: string | null): readonly string[] | null {
  const find = (value: unknown): readonly string[] | null => {
    if (value === wanted) return [];
    if (typeof value !== "object" || value === null) return null;
    for (const [name, inner] of Object.entries(value)) {
      const found = find(inner);
      if (found !== null) return [name, ...found];
    }
    return null;
  };
  return wanted === null ? null : find(parsed(bodyText(body)));
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inner, name) =>
      typeof inner === "object" && inner !== null ? (inner as Readonly<Record<string, unknown>>)[name] : undefined,
    value,
  );
}
