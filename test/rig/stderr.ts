/**
 * What a run printed on stderr, without the lines about calls that have no answer within a second: whether an answer takes
 * that long depends on the machine.
 */
export function withoutWaiting(stderr: string): string {
  return stderr.replaceAll(/^waiting for the app: .+\n/gm, "");
}
