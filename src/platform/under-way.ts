/** The actions in flight: closing the simulator waits for them. */
export interface UnderWay {
  /** Counts the action as in flight until it settles, and returns it. */
  add<Result>(action: Promise<Result>): Promise<Result>;
  /** Resolves once no action is in flight. */
  ended(): Promise<void>;
}

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
