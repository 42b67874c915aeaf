/** A whole wire job (interface 2.3) is told from the short form by what only it has. */
export function isWireJob(fixture: unknown): boolean {
  return typeof fixture === "object" && fixture !== null && ("jobType" in fixture || "organization" in fixture);
}
