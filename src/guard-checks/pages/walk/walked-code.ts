import type { Exchange } from "../../../journal/exchange.ts";
import { unpackedText } from "../../../journal/readable-body.ts";
import { letsInWith, type Person } from "../../call.ts";
import { codesIn, everythingIn } from "./answer.ts";
import type { WalkedPage } from "./login.ts";
import { codeIn, type WalkWithToken } from "./replay.ts";
import type { PageWalk } from "./walk.ts";

/** Maximum number of texts of a page that are tried as a code. */
export const MOST_SPARES = 6;

const CODE_LIKE = /^[\w.~+/=-]{8,512}$/;

/** The code with which a walk ended; null: none. */
export function walkedCode({ outcome }: Pick<PageWalk, "outcome">): string | null {
  return outcome !== null && "code" in outcome ? outcome.code : null;
}

/** Whether an answer had the code before anybody did anything in the page. */
export function isCodeLoaded(walk: Pick<PageWalk, "outcome" | "exchanges" | "loaded">): boolean {
  const code = walkedCode(walk);
  return answersLoaded(walk).some((exchange) => code !== null && everythingIn(exchange).includes(code));
}

/** What a walk got before anybody did anything in the page. */
export function answersLoaded({ exchanges, loaded }: Pick<PageWalk, "exchanges" | "loaded">): readonly Exchange[] {
  return exchanges.filter(({ id }) => loaded.includes(id));
}

/** What may be another code, among what a walk got before anybody did anything in the page; empty: its code was there. */
export function spareCodes(walk: WalkWithToken): string[] {
  const code = walkedCode(walk);
  const brought = code === null ? undefined : walk.exchanges.find((each) => everythingIn(each).includes(code));
  const loaded = answersLoaded(walk);
  if (code === null || brought === undefined || loaded.includes(brought)) return [];
  const { method, url } = brought.request;
  const same = loaded.find(({ request }) => request.method === method && request.url === url);
  const ofSame = same === undefined ? null : codeIn(same, { last: brought, code });
  const texts = loaded.flatMap((exchange) => [
    ...codesIn(exchange).filter((text) => CODE_LIKE.test(text)),
    ...codeLikeTexts(exchange),
  ]);
  const spares = new Set([...(ofSame === null ? [] : [ofSame]), ...texts]);
  return [...spares].filter((text) => text !== walk.state && text !== walk.token).slice(0, MOST_SPARES);
}

/** What may be a code among the values and texts of a page's elements, and among the headers that are the app's own. */
export function codeLikeTexts({ response }: Exchange): string[] {
  if (response === null) return [];
  const page = unpackedText(response);
  const values = [...page.matchAll(/(?:value|content|data-[\w-]+)="([^"]+)"/g)].map(([, text]) => text);
  const texts = [...page.matchAll(/>\s*([\w.~-]{16,512})\s*</g)].map(([, text]) => text);
  const own = response.headers.filter(([name]) => /^x-|code|ticket/i.test(name)).map(([, value]) => value);
  const isToken = (text: string) => /^eyJ[\w-]*\./.test(text);
  return [...own, ...values, ...texts].flatMap((text) =>
    text !== undefined && CODE_LIKE.test(text) && !isToken(text) ? [text] : [],
  );
}

/** Whether one of these codes lets the user in, and a made-up one does not. */
export async function isLetInBy(codes: readonly string[], page: WalkedPage, person: Person): Promise<boolean> {
  const { context } = page;
  for (const code of codes) {
    if (await letsInWith(context, page, person, code))
      return !(await letsInWith(context, page, person, context.ids.secret()));
  }
  return false;
}
