/** Those who want to know that something changed. */
export interface Listeners {
  /** The returned function ends it. */
  add(listener: () => void): () => void;
  tell(): void;
  clear(): void;
}

export function createListeners(): Listeners {
  const listeners = new Set<() => void>();
  return {
    add(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    tell() {
      for (const listener of [...listeners]) warnIfBroken(listener);
    },
    clear: () => listeners.clear(),
  };
}

/** A broken view is our bug and worth a warning, but what it shows must go on all the same (hardening R36). */
function warnIfBroken(listener: () => void): void {
  try {
    listener();
  } catch (error) {
    process.emitWarning(error instanceof Error ? error : String(error));
  }
}
