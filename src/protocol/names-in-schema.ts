import type { z } from "zod";

type Shape = Readonly<Record<string, z.core.$ZodType>>;

/** The parts of a schema that can contain objects. */
interface Definition {
  /** Of an optional or nullable schema. */
  readonly innerType?: z.core.$ZodType;
  /** Of a union. */
  readonly options?: readonly z.core.$ZodType[];
  /** Of an object. */
  readonly shape?: Shape;
}

/** The names allowed at a path such as `page.browser`, in any alternative; empty if there is no object. */
export function namesAt(schema: z.core.$ZodType, path: string): readonly string[] {
  const at = path.split(".").filter((name) => name !== "");
  const shapes = at.reduce((within, name) => within.flatMap((shape) => shapesIn(shape[name])), shapesIn(schema));
  return [...new Set(shapes.flatMap((shape) => Object.keys(shape)))];
}

function shapesIn(schema: z.core.$ZodType | undefined): readonly Shape[] {
  if (schema === undefined) return [];
  const { innerType, options, shape } = schema._zod.def as Definition;
  if (innerType !== undefined) return shapesIn(innerType);
  return options?.flatMap(shapesIn) ?? (shape === undefined ? [] : [shape]);
}
