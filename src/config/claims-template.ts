import { z } from "zod";

/** The claims of a module token unless a template changes them. */
const standardClaims = ["aud", "sub", "domain", "module", "context", "iat", "exp", "jti"] as const;

/** Changes to the standard claims of a module token; `{}` changes nothing. */
export const claimsTemplateSchema = () =>
  z
    .strictObject({
      /** Additional claims, by their names. */
      add: z.record(z.string(), z.json()).optional(),
      /** Other names for standard claims. */
      rename: z.partialRecord(z.enum(standardClaims), z.string().min(1)).optional(),
      /** Standard claims to leave out. */
      drop: z.array(z.enum(standardClaims)).optional(),
    })
    .refine(({ rename = {}, drop = [] }) => {
      const names = standardClaims.filter((name) => !drop.includes(name)).map((name) => rename[name] ?? name);
      return new Set(names).size === names.length;
    }, "two claims would have one name");
