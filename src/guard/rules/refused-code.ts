/** The calls of a guard that refused the code of its own page. */
export interface RefusedCode {
  readonly userId: number;
  /** The bodies of its answers to the first call, and to the final one. */
  readonly first: string | null;
  readonly final: string | null;
}

/** What to look at if a guard refuses the code that its own page has just issued. */
export function refusedCodeHint({ userId, first, final }: RefusedCode): string {
  const issued = "the app's own page issued this code a moment ago";
  const kept = `the user's id (in the page's token a string, sub: "${userId}"; in the final call a number, userId: ${userId}), the organization, the module's key and the code's time limit`;
  if (first !== null && first === final) {
    return `${issued}, and the final call got exactly the answer of the first one: does the guard check \`code\`, and let the user in if it is right? If it does, compare how page and guard use ${kept}`;
  }
  return `${issued}, so the guard probably does not look it up as the page stored it: compare how they use ${kept}. The final call also has another token, and no cookies`;
}
