import { z } from "zod";

/**
 * Other names in a manifest: the guard type `frame`, the option `applyToAdmins`, and further members of a deployment.
 */
export const manifestNamesSchema = () =>
  z.strictObject({
    /** Another name for the guard type `frame`. */
    frame: z.string().min(1).optional(),
    /** Another name for the option `applyToAdmins`. */
    applyToAdmins: z.string().min(1).optional(),
    /**
     * Members of the manifest, of its `modules` or its `events`, such as `logo` and `modules.api`, that are ignored.
     */
    others: z.array(z.string().min(1)).optional(),
  });
