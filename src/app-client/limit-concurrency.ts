/** Runs a piece of work as soon as the limit allows, and passes on its result. */
export type ConcurrencyLimiter = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Lets at most `limit` pieces of work run at a time; the others wait in their order. */
export function limitConcurrency(limit: number): ConcurrencyLimiter {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running < limit) running += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
