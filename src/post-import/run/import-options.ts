import { z } from "zod";
import { occasions } from "../../protocol/occasion.ts";

/** How files are imported. */
export const importOptionsSchema = z.strictObject({
  via: z
    .enum(["auto", "inline", "url"])
    .optional()
    .describe("how strings and file travel; default auto: by URL as far as the request would pass the limit"),
  occasion: z.enum(occasions).optional().describe("default: what each fixture says"),
  user: z.string().min(1).optional().describe("who imports: a role or a login name; default as configured"),
  update: z.boolean().optional().describe("accept what the app answers as the expected answer beside each fixture"),
  save: z.string().min(1).optional().describe("a file that keeps every job and what the app answered"),
  preview: z.boolean().optional().describe("show previews at addresses of the platform"),
});
export type ImportOptions = z.infer<typeof importOptionsSchema>;
