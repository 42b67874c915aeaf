import type { Exchange } from "../../src/journal/exchange.ts";
import { createJournal } from "../../src/journal/journal.ts";
import type { Previews } from "../../src/post-import/run/previews.ts";
import type { HostedFiles } from "../../src/web/hosted-files.ts";
import { startServer } from "./server.ts";
import { assemble } from "./simulation.ts";

/** A platform whose hosted files and previews the test fills itself; disposing of it closes it. */
export interface ServedPlatform extends AsyncDisposable {
  readonly url: string;
  readonly files: HostedFiles;
  readonly previews: Previews;
  /** What went wrong in app-sim itself. */
  readonly bugs: readonly unknown[];
  /** The requests for hosted files that are over, oldest first. */
  exchanges(): Exchange[];
  /** The exchanges, once there are so many. */
  exchangesOnce(count: number): Promise<Exchange[]>;
}

export async function servePlatform(): Promise<ServedPlatform> {
  let url = "";
  const journal = createJournal();
  const simulator = await assemble({}, { journal, baseUrl: () => url });
  const { files, previews } = simulator;
  const bugs: unknown[] = [];
  const server = await startServer(simulator, (_, error) => bugs.push(error));
  url = server.url;
  const exchanges = () => journal.list().filter((record) => record.type === "exchange");
  return {
    url,
    files,
    previews,
    bugs,
    exchanges,
    exchangesOnce: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (exchanges().length < count) return;
          leave();
          resolve(exchanges());
        };
        const leave = journal.subscribe(look);
        look();
      }),
    [Symbol.asyncDispose]: () => server.close(),
  };
}
