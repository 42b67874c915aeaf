import { INSPECTOR_PATHS } from "../paths.ts";
import type { ExchangeView, FeedEntry, HiddenPart, PlatformView } from "../view.ts";

/** The platform refused or did not answer a request of the page. */
export class ServerError extends Error {
  override readonly name = "ServerError";
  /** 0: there was no answer. */
  readonly status: number;
  readonly hint: string | null;

  constructor(message: string, status: number, hint: string | null = null) {
    super(message);
    this.status = status;
    this.hint = hint;
  }
}

interface ServerRequest {
  readonly method: string;
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Headers other than the key and the content type. */
  readonly headers?: Readonly<Record<string, string>>;
}

interface FeedListener {
  readonly onReset: () => void;
  readonly onEntries: (entries: readonly FeedEntry[]) => void;
  /** Called once everything so far was sent. */
  readonly onComplete: () => void;
}

/** The platform, for the page: each request carries the key of this run. */
export class Server {
  readonly #key: string;

  constructor(key: string) {
    this.#key = key;
  }

  platform(): Promise<PlatformView> {
    return this.get(INSPECTOR_PATHS.platform);
  }

  exchange(id: string): Promise<ExchangeView> {
    return this.get(`${INSPECTOR_PATHS.exchanges}/${encodeURIComponent(id)}`);
  }

  async reveal(id: string, part: HiddenPart): Promise<string> {
    const { text } = await this.post<{ readonly text: string }>(INSPECTOR_PATHS.reveal, { id, part });
    return text;
  }

  /** Ids of the exchanges whose addresses, headers or bodies contain the text. */
  async search(text: string, signal: AbortSignal): Promise<readonly string[]> {
    const request = { method: "POST", path: INSPECTOR_PATHS.search, body: { text } };
    const { ids } = await this.#json<{ ids: readonly string[] }>(request, signal);
    return ids;
  }

  get<Answer>(path: string): Promise<Answer> {
    return this.#json({ method: "GET", path });
  }

  post<Answer>(path: string, body: unknown): Promise<Answer> {
    return this.#json({ method: "POST", path, body });
  }

  /** Sends JSON, and passes on each line of the answer, which is JSON as well. */
  async lines(path: string, body: unknown, onLine: (line: unknown) => void, signal: AbortSignal): Promise<void> {
    const response = await this.#fetch({ method: "POST", path, body }, signal);
    let rest = "";
    for await (const text of textOf(response)) {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) onLine(JSON.parse(line));
    }
  }

  /**
   * Reads the list until it ends or the connection is lost.
   * @param lastId number of the last event that the page has; empty if none
   * @returns the number of the last event by now
   */
  async follow(lastId: string, listener: FeedListener, signal: AbortSignal, onId: (id: string) => void): Promise<void> {
    const headers = lastId === "" ? {} : { "last-event-id": lastId };
    const response = await this.#fetch({ method: "GET", path: INSPECTOR_PATHS.events, headers }, signal);
    let rest = "";
    for await (const text of textOf(response)) {
      const events = (rest + text).split("\n\n");
      rest = events.pop() ?? "";
      for (const event of events) {
        const fields = new Map(
          event.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]),
        );
        const kind = fields.get("event");
        if (kind === "reset") listener.onReset();
        if (kind === "entries") listener.onEntries(JSON.parse(fields.get("data") ?? "[]"));
        if (kind === "complete") listener.onComplete();
        const id = fields.get("id");
        if (id !== undefined) onId(id);
      }
    }
  }

  async #json<Answer>(request: ServerRequest, signal?: AbortSignal): Promise<Answer> {
    return (await this.#fetch(request, signal)).json();
  }

  async #fetch({ method, path, body, headers: more }: ServerRequest, signal?: AbortSignal): Promise<Response> {
    const headers = {
      authorization: `Bearer ${this.#key}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...more,
    };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(path, { method, headers, ...sent, ...(signal === undefined ? {} : { signal }) }).catch(
      (error: Error) => {
        throw error.name === "AbortError" ? error : new ServerError("app-sim does not answer: has it ended?", 0);
      },
    );
    if (response.ok) return response;
    const answer = await response.json().catch(() => null);
    const { message = `status ${response.status}`, hint = null } = answer?.error ?? {};
    throw new ServerError(message, response.status, hint);
  }
}

async function* textOf(response: Response): AsyncGenerator<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const read = await reader?.read();
    if (read === undefined || read.done) return;
    yield read.value;
  }
}
