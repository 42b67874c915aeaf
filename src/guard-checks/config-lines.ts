/** What a config file says of a guard, as it is written there. */
export function guardLines(key: string, settings: object): string {
  return JSON.stringify({ verify: { guards: { [key]: settings } } });
}

/** Somebody of whom only the owner of a guard knows what it decides. */
export const SOMEBODY = { user: "ROLE", ip: "ADDRESS" };

/** How the page of a guard is failed, for somebody to fill in. */
export function howToFail(key: string): string {
  return `say in the config file how its page is failed: ${guardLines(key, { fail: { press: "BUTTON" } })}`;
}
