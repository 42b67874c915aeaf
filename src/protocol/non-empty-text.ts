import { z } from "zod";

/** A text of at least one character. */
export const nonEmptyText = z.string().min(1, "must not be empty");
