/** The lines of a config file for a guard. */
export function guardLines(key: string, settings: object): string {
  return JSON.stringify({ verify: { guards: { [key]: settings } } });
}

/** A placeholder for a user that only the owner of a guard can name. */
export const SOMEBODY = { user: "ROLE", ip: "ADDRESS" };

/** How to fail the page of a guard, as a template to fill in. */
export function howToFail(key: string): string {
  return `set in the config file how to fail its page: ${guardLines(key, { fail: { press: "BUTTON" } })}`;
}
