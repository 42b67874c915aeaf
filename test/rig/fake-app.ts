import { EventEmitter, on, once } from "node:events";
import { createServer, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net";

const LOOPBACK = "127.0.0.1";

/** A listening port; closing destroys its sockets, and closing it again does nothing. */
export interface OpenPort extends AsyncDisposable {
  /** `http://host:port`, without a trailing slash. */
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

/** Status (200 if not given) and headers of a well-formed reply; headers replace the default ones. */
export interface ReplyOptions {
  readonly status?: number;
  readonly headers?: OutgoingHttpHeaders;
}

/** One request that the app received whole, and the ways to answer it. A test uses one of them. */
export interface AppCall {
  readonly method: string;
  /** The request target as sent, with its query. */
  readonly path: string;
  /** Header lines in their order and spelling on the wire. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  /** Resolves when the connection is gone, whoever closed it. */
  readonly closed: Promise<void>;
  /** Value of the first header of that name, in any case. */
  header(name: string): string | undefined;
  /** The body as JSON; throws SyntaxError if it is none. */
  json(): unknown;
  /** Answers with the value as `application/json`. */
  reply(value: unknown, options?: ReplyOptions): void;
  /** Answers with the body as it is, and with no content type but a given one. */
  send(body: string | Buffer, options?: ReplyOptions): void;
  /** Writes bytes to the socket in place of a response, then ends the connection unless `end` is false. */
  raw(bytes: string | Buffer, options?: { readonly end?: boolean }): void;
  /** Resets the connection before any response byte. */
  reset(): void;
  /**
   * Announces `contentLength` bytes, sends `partialBody` only and resets. A peer in another process may see
   * an early end in place of the reset. Keep the part small: a reset drops what the peer had no room for.
   */
  sendThenReset(partialBody: string | Buffer, contentLength: number): void;
  /** Never answers; the connection stays open until the peer or `app.close()` ends it. */
  hang(): void;
  /** Sends the headers at once, then one byte of the body per interval, over and over until the connection is gone. */
  drip(bytes: string | Buffer, intervalMs: number): void;
  /** Sends a response head that never ends, one byte per interval, until the connection is gone. */
  dripHeaders(intervalMs: number): void;
}

/** Takes a call; an error of it resets the call and comes out of `app.close()`. */
export type CallHandler = (call: AppCall) => void | Promise<void>;

/** An app that the test steers call by call. */
export interface FakeApp extends OpenPort {
  /** What GET /manifest.json returns; while undefined, that request is a call like any other. */
  manifest: unknown;
  /** Every call so far, oldest first; requests answered from `manifest` are not among them. */
  readonly calls: readonly AppCall[];
  /** The oldest call not yet taken, or the next to arrive; rejects once the app is closed. */
  nextCall(): Promise<AppCall>;
  /** From now on the handler takes every call, and `nextCall()` sees none of them. */
  answer(handler: CallHandler): void;
}

/**
 * Starts an app on a free port of `host` (127.0.0.1 if not given), or on the given one.
 *
 * @example
 * await using app = await startFakeApp({ manifest: manifestOf({ guards: [guardEntry("office")] }) });
 * const call = await app.nextCall();
 * call.reply({ success: false });
 */
export async function startFakeApp(
  options: { manifest?: unknown; host?: string; port?: number } = {},
): Promise<FakeApp> {
  // An idle connection that the app closes by itself would race with the peer's next request on it.
  const server = createServer({ keepAliveTimeout: 0 });
  // Each call on a kept connection listens for its end: no leak, however many there are.
  server.on("connection", (socket) => socket.setMaxListeners(0));

  const calls: AppCall[] = [];
  const failures: unknown[] = [];
  const arrivals = new EventEmitter();
  const queue = on(arrivals, "call", { close: ["close"] });
  let handler: CallHandler = (call) => void arrivals.emit("call", call);

  const handle = async (call: AppCall): Promise<void> => {
    calls.push(call);
    try {
      await handler(call);
    } catch (error) {
      failures.push(error);
      call.reset();
    }
  };
  server.on("request", async (request, response) => {
    const closed = new Promise<void>((resolve) => request.socket.once("close", () => resolve()));
    const call = createCall(request, response, await readBody(request), closed);
    if (app.manifest !== undefined && isManifestRequest(call)) call.reply(app.manifest);
    else await handle(call);
  });

  const opened = await open(server, options.host ?? LOOPBACK, options.port);
  const close = async (): Promise<void> => {
    arrivals.emit("close");
    await opened.close();
    const errors = failures.splice(0);
    if (errors.length > 0) throw new AggregateError(errors, "A handler given to app.answer() failed");
  };
  const app: FakeApp = {
    ...opened,
    manifest: options.manifest,
    calls,
    async nextCall() {
      const next = await queue.next();
      if (next.done) throw new Error("The fake app was closed while a test waited for a call");
      return next.value[0];
    },
    answer(newHandler) {
      handler = newHandler;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
  return app;
}

/** Opens a port of 127.0.0.1 that accepts connections and never says anything. */
export async function startSilentPort(): Promise<OpenPort> {
  // Reading is what lets a socket notice that its peer left; errors are the peer's way of leaving.
  const server = createTcpServer((socket) => socket.on("error", () => {}).resume());
  return open(server, LOOPBACK);
}

/** The ports that {@link unusedPort} gives, below those that systems give to whoever asks for any port. */
const UNUSED_PORTS = { from: 20_000, perWorker: 750, workers: 16 };
/** Random at first: another run of the tests may be under way. */
let nextUnused = Math.floor(Math.random() * UNUSED_PORTS.perWorker);

/** A port of 127.0.0.1 at which nothing listens, and that nobody else gets: not this test file, nor those beside it. */
export async function unusedPort(): Promise<number> {
  const { from, perWorker, workers } = UNUSED_PORTS;
  const worker = Number(process.env.VITEST_POOL_ID) % workers;
  nextUnused = (nextUnused + 1) % perWorker;
  const port = from + worker * perWorker + nextUnused;
  try {
    const opened = await open(createTcpServer(), LOOPBACK, port);
    await opened.close();
    return port;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    return unusedPort();
  }
}

/** An auth-guard entry (interface 2.1) at `/<key>`; `options` are its module options. */
export function guardEntry(
  key: string,
  options?: { type?: "direct" | "redirect" | "frame"; applyToAdmins?: boolean; url?: string },
) {
  return { key, name: `Guard ${key}`, url: `/${key}`, ...(options && { options }) };
}

/** A file-post-import entry (interface 2.1) at `/<key>`. */
export function importEntry(key: string, signaturePatterns?: { fileName?: string; fileContent?: string }) {
  return { key, url: `/${key}`, ...(signaturePatterns && { signaturePatterns }) };
}

/** A webhook entry (interface 2.1) at `/<key>`. */
export function webhookEntry(key: string, events: readonly string[] = ["project.translated", "project.approved"]) {
  return { key, url: `/${key}`, events };
}

/** A manifest (interface 2.1) with the given entries, which are not checked; a type that is not given is absent. */
export function manifestOf(entries: {
  guards?: readonly unknown[];
  imports?: readonly unknown[];
  webhooks?: readonly unknown[];
}) {
  const { guards, imports, webhooks } = entries;
  return {
    modules: {
      ...(guards && { "auth-guard": guards }),
      ...(imports && { "file-post-import": imports }),
      ...(webhooks && { webhook: webhooks }),
    },
  };
}

async function open(server: Server, host: string, wanted = 0): Promise<OpenPort> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.listen(wanted, host);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    const closed = once(server, "close");
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
  return { url, port, close, [Symbol.asyncDispose]: close };
}

/** Resolves with the whole body; stays pending when the peer leaves before its end, so that there is no call. */
function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  return new Promise((resolve) => request.once("end", () => resolve(Buffer.concat(chunks))));
}

function isManifestRequest(call: AppCall): boolean {
  return call.method === "GET" && call.path === "/manifest.json";
}

function createCall(
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer,
  closed: AppCall["closed"],
): AppCall {
  const { socket } = request;
  const headers = headerLines(request.rawHeaders);
  const repeat = (intervalMs: number, step: (round: number) => void): void => {
    let round = 0;
    const timer = setInterval(() => step(round++), intervalMs);
    void closed.then(() => clearInterval(timer));
  };
  const send: AppCall["send"] = (reply, options = {}) => {
    response.statusCode = options.status ?? 200;
    for (const [name, value] of Object.entries(options.headers ?? {})) {
      if (value !== undefined) response.setHeader(name, value);
    }
    response.end(reply);
  };

  return {
    method: request.method ?? "",
    path: request.url ?? "",
    headers,
    body,
    closed,
    header: (name) => headers.find(([line]) => line.toLowerCase() === name.toLowerCase())?.[1],
    json: () => JSON.parse(body.toString()),
    reply(value, options) {
      response.setHeader("content-type", "application/json");
      send(JSON.stringify(value), options);
    },
    send,
    raw(bytes, { end = true } = {}) {
      socket.write(bytes);
      if (end) socket.end();
    },
    reset: () => void socket.resetAndDestroy(),
    sendThenReset(partialBody, contentLength) {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${contentLength}\r\n\r\n`);
      // Node shows bytes that are followed by a reset before they were read as a plain end. The second
      // immediate runs after one more poll for I/O, in which a peer in this process reads them.
      socket.write(partialBody, () => setImmediate(() => setImmediate(() => socket.resetAndDestroy())));
    },
    hang() {
      // Nothing to do: an unanswered call keeps its connection.
    },
    drip(bytes, intervalMs) {
      const content = Buffer.from(bytes);
      response.writeHead(200, { "content-type": "application/json" }).flushHeaders();
      repeat(intervalMs, (round) => {
        const at = round % content.length;
        response.write(content.subarray(at, at + 1));
      });
    },
    dripHeaders(intervalMs) {
      const start = "HTTP/1.1 200 OK\r\nx-slow: ";
      repeat(intervalMs, (round) => socket.write(start.charAt(round) || "a"));
    },
  };
}

function headerLines(rawHeaders: readonly string[]): [string, string][] {
  return rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ""]] : []));
}
