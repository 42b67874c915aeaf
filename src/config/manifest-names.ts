import { z } from "zod";

/** Other words of a manifest: the guard type `frame`, and the option `applyToAdmins`. */
export const manifestNamesSchema = z.strictObject({
  frame: z.string().min(1).optional(),
  applyToAdmins: z.string().min(1).optional(),
});
