/** What was begun and is not over yet: whoever closes the simulator waits for it. */
export interface UnderWay {
  /** Counts an action in until it has ended, however it ends. */
  add<Result>(action: Promise<Result>): Promise<Result>;
  /** Resolves once nothing is under way. */
  ended(): Promise<void>;
}

/** Nothing is under way yet. */
export function createUnderWay(): UnderWay {
  const actions = new Set<Promise<unknown>>();
  return {
    add(action) {
      actions.add(action);
      const forget = () => void actions.delete(action);
      action.then(forget, forget);
      return action;
    },
    async ended() {
      while (actions.size > 0) await Promise.allSettled(actions);
    },
  };
}
