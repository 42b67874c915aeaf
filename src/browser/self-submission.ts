import type { Locator, Page, Request } from "playwright-core";

/** What sends something to an app: a script's call, or a form. */
const SENDING: readonly string[] = ["fetch", "xhr", "document"];
/** How long it may take until it is known that a page sends something. */
const SENDING_MS = 200;
/** How long a page may take to act on an answer. */
const REACTING_MS = 500;

/**
 * Fills in fields, and tells whether the page sends something by itself meanwhile, like one that sends its form after
 * the last digit. If it does, it has also had time to act on the answer.
 */
export async function hearSending<Result>(
  page: Page,
  fillIn: () => Promise<Result>,
  pause: (milliseconds: number) => Promise<unknown>,
): Promise<{ readonly result: Result; readonly isSent: boolean }> {
  const sent: Request[] = [];
  const hear = (request: Request) => void (SENDING.includes(request.resourceType()) && sent.push(request));
  page.on("request", hear);
  let result: Result;
  try {
    result = await fillIn();
    await pause(SENDING_MS);
  } finally {
    page.off("request", hear);
  }
  if (sent.length === 0) return { result, isSent: false };
  await Promise.allSettled(sent.map((request) => request.response()));
  await pause(REACTING_MS);
  return { result, isSent: true };
}

/** Whether a field still has its text: a page that has accepted or refused it shows another one, or an empty one. */
export function keepsText(field: Locator): Promise<boolean> {
  // Runs in the page.
  const isFilled = field.evaluateAll((elements) =>
    (elements as unknown as { readonly value: string; readonly disabled: boolean }[]).some(
      ({ value, disabled }) => value !== "" && !disabled,
    ),
  );
  return isFilled.catch(() => false);
}
