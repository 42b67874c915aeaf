import { z } from "zod";

/** What a check says of one place. */
export const findingSchema = z.strictObject({
  check: z.string().describe("stable id of the check"),
  section: z.string().describe("section of the interface"),
  result: z.enum(["pass", "warn", "fail", "skip", "inconclusive"]),
  path: z.string().describe("where in the answer"),
  message: z.string(),
});
export type Finding = z.infer<typeof findingSchema>;
