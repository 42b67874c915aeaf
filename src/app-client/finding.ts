import { z } from "zod";

/** What a check found in one place. */
export const findingSchema = z.strictObject({
  check: z.string().describe("stable id of the check"),
  section: z.string().describe("section of the interface"),
  result: z
    .enum(["pass", "warn", "fail", "skip", "inconclusive"])
    .describe(
      "how serious it is: `fail` violates the contract, `warn` looks wrong; `skip`, `inconclusive`: not judged",
    ),
  path: z.string().describe("where in the answer"),
  message: z.string().describe("what is wrong there, in words"),
});
export type Finding = z.infer<typeof findingSchema>;
