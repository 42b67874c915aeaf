/** Whether nobody sits at the terminal: as the package that draws the screen sees it, which draws nothing there. */
export function isCi({ CI, CONTINUOUS_INTEGRATION }: Readonly<Record<string, string | undefined>>): boolean {
  return [CI, CONTINUOUS_INTEGRATION].some((value) => value !== undefined && value !== "0" && value !== "false");
}
