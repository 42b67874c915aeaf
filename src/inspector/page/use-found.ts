import { useEffect, useState } from "react";
import type { Server } from "./server.ts";

const none: ReadonlySet<string> = new Set();
/** Avoids a search for each letter while a person types. */
const TYPING_MS = 200;

/** Ids of the exchanges whose bodies contain the text; the platform searches again if there are more rows. */
export function useFound(server: Server, text: string, rows: number): ReadonlySet<string> {
  const [found, setFound] = useState(none);
  // biome-ignore lint/correctness/useExhaustiveDependencies: more rows may hold it as well
  useEffect(() => {
    if (text === "") return setFound(none);
    const leaving = new AbortController();
    const timer = setTimeout(() => {
      server.search(text, leaving.signal).then(
        (ids) => setFound(new Set(ids)),
        () => {},
      );
    }, TYPING_MS);
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, [server, text, rows]);
  return text === "" ? none : found;
}
