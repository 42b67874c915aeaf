/** Runs a piece of work as soon as it is its turn, and passes on what came of it. */
export type TakeTurns = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Lets at most `limit` pieces of work run at a time; the others wait in the order in which they came. */
export function takeTurns(limit: number): TakeTurns {
  const waiting: (() => void)[] = [];
  let running = 0;
  const end = () => {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  };
  return async (work) => {
    if (running < limit) running += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      end();
    }
  };
}
