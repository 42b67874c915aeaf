/** Takes an option that may be repeated, for commander: its values in their order. */
export function collect(value: string, earlier: readonly string[] | undefined): string[] {
  return [...(earlier ?? []), value];
}

/** The members that were given: a flag that was left out is none, not one without a value. */
export function withoutUndefined<T extends object>(
  members: {
    readonly [Key in keyof T]: T[Key] | undefined;
  },
): Partial<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Partial<T>;
}
