import type { Chromium } from "./chromium.ts";

/** A Chromium that runs from its first visit until it is disposed of: starting it takes longer than most visits do. */
export function keptChromium({ requirePlaywright, open }: Chromium): Chromium & AsyncDisposable {
  let first: ReturnType<Chromium["open"]> | null = null;
  return {
    requirePlaywright,
    open: (executable) => {
      first ??= open(executable);
      return open(executable);
    },
    async [Symbol.asyncDispose]() {
      const opened = await first;
      if (opened?.ok === true) await opened.release();
    },
  };
}
