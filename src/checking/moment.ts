/** Milliseconds that checks wait for what must not be over so soon: minutes that are taken for milliseconds are. */
export const A_MOMENT_MS = 2000;
