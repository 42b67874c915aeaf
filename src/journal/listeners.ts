/** Functions that are called when something happened. */
export interface Listeners<Facts extends readonly unknown[]> {
  /** The returned function removes the listener. */
  add(listener: (...facts: Facts) => void): () => void;
  notify(...facts: Facts): void;
  clear(): void;
}

export function createListeners<Facts extends readonly unknown[] = []>(): Listeners<Facts> {
  const listeners = new Set<(...facts: Facts) => void>();
  return {
    add(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    notify(...facts) {
      for (const listener of [...listeners]) {
        try {
          listener(...facts);
        } catch (error) {
          // A failing listener is our bug and worth a warning, but the facts must reach the others (hardening R36).
          process.emitWarning(error instanceof Error ? error : String(error));
        }
      }
    },
    clear: () => listeners.clear(),
  };
}
