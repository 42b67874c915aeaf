import { z } from "zod";

/**
 * The parts of zod that option schemas use. Each is named: passing all of zod would bundle all of it into what every
 * command loads.
 */
export const schemaParts = {
  array: z.array,
  boolean: z.boolean,
  custom: z.custom,
  enum: z.enum,
  int: z.int,
  ipv4: z.ipv4,
  ipv6: z.ipv6,
  literal: z.literal,
  number: z.number,
  record: z.record,
  strictObject: z.strictObject,
  string: z.string,
  union: z.union,
  unknown: z.unknown,
};

export type SchemaParts = typeof schemaParts;
