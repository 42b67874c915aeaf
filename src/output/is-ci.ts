/** Whether this is a CI run without a user, by the same rule as Ink, which draws nothing there. */
export function isCi({ CI, CONTINUOUS_INTEGRATION }: Readonly<Record<string, string | undefined>>): boolean {
  return [CI, CONTINUOUS_INTEGRATION].some((value) => value !== undefined && value !== "0" && value !== "false");
}
