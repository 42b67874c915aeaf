/** A complete job (interface 2.3) has members that the short form lacks; a configuration has an organization too. */
export function isWireJob(fixture: unknown): boolean {
  if (typeof fixture !== "object" || fixture === null) return false;
  return "jobType" in fixture || ("organization" in fixture && !("app" in fixture || "apps" in fixture));
}
