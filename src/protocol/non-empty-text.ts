import { z } from "zod";

/** A string of at least one character. */
export const nonEmptyText = z.string().min(1, "must not be empty");
