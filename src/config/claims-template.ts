import { z } from "zod";

/** The claims of a module token unless a template changes them. */
const standardClaim = z.enum(["aud", "sub", "domain", "module", "context", "iat", "exp", "jti"]);

/** How the standard claims of a module token are changed; `{}` leaves them as they are. */
export const claimsTemplateSchema = z
  .strictObject({
    add: z.record(z.string(), z.json()).optional(),
    rename: z.partialRecord(standardClaim, z.string().min(1)).optional(),
    drop: z.array(standardClaim).optional(),
  })
  .refine(({ rename = {}, drop = [] }) => {
    const names = standardClaim.options.filter((name) => !drop.includes(name)).map((name) => rename[name] ?? name);
    return new Set(names).size === names.length;
  }, "two claims would have one name");
