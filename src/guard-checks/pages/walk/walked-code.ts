import { everythingIn } from "./answer.ts";
import type { PageWalk } from "./walk.ts";

/** The code with which a walk ended; null: none. */
export function walkedCode({ outcome }: Pick<PageWalk, "outcome">): string | null {
  return outcome !== null && "code" in outcome ? outcome.code : null;
}

/** Whether an answer had the code before anybody did anything in the page. */
export function isCodeLoaded(walk: Pick<PageWalk, "outcome" | "exchanges" | "loaded">): boolean {
  const code = walkedCode(walk);
  return walk.exchanges.some(
    (exchange) => code !== null && walk.loaded.includes(exchange.id) && everythingIn(exchange).includes(code),
  );
}
