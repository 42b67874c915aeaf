/** Those who want to know that something happened, or changed. */
export interface Listeners<Facts extends readonly unknown[]> {
  /** The returned function ends it. */
  add(listener: (...facts: Facts) => void): () => void;
  tell(...facts: Facts): void;
  clear(): void;
}

/** Nobody listens yet. */
export function createListeners<Facts extends readonly unknown[] = []>(): Listeners<Facts> {
  const listeners = new Set<(...facts: Facts) => void>();
  return {
    add(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    tell(...facts) {
      for (const listener of [...listeners]) warnIfBroken(() => listener(...facts));
    },
    clear: () => listeners.clear(),
  };
}

/** A broken view is our bug and worth a warning, but the facts must still reach the other views (hardening R36). */
function warnIfBroken(tell: () => void): void {
  try {
    tell();
  } catch (error) {
    process.emitWarning(error instanceof Error ? error : String(error));
  }
}
