/**
 * What a run printed on stderr, without the lines about calls and work that take longer than a second: whether they do
 * depends on the machine.
 */
export function withoutProgress(stderr: string): string {
  return stderr.replaceAll(/^(?:waiting for the app|in progress): .+\n/gm, "");
}
