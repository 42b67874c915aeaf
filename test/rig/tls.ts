import { once } from "node:events";
import { createServer, request, type Server } from "node:https";
import { type AddressInfo, isIP } from "node:net";
import { connect } from "node:tls";
import type { RunningSimulator } from "../../src/index.ts";

interface TlsAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

interface TlsRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * A request by TLS to an address of the platform, as a client makes it for which the address leads to this machine: the
 * certificate has to be for the address's name, and is trusted by the platform's authority alone.
 */
export async function requestByTls(
  { localUrl, tls }: Pick<RunningSimulator, "localUrl" | "tls">,
  address: string,
  { method = "GET", headers = {}, body = "" }: TlsRequest = {},
): Promise<TlsAnswer> {
  const { hostname, host, pathname, search } = new URL(address);
  const sent = request({
    ...{ host: "127.0.0.1", port: new URL(localUrl).port, path: pathname + search, method, agent: false },
    ...{ servername: isIP(hostname) === 0 ? hostname : "", ca: tls?.ca ?? "", headers: { host, ...headers } },
  });
  sent.end(body);
  const [answer] = await once(sent, "response");
  let text = "";
  for await (const chunk of answer.setEncoding("utf8")) text += chunk;
  return { status: answer.statusCode, headers: answer.headers, body: text };
}

/** A server on a free port of 127.0.0.1 with this certificate; it counts the requests that it gets. */
export async function startTlsServer(pems: { readonly key: string; readonly cert: string }) {
  const requests: string[] = [];
  const server: Server = createServer(pems, (incoming, answer) => {
    requests.push(`${incoming.method} ${incoming.url} ${incoming.headers.authorization ?? ""}`);
    answer.end("{}");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** What a client says of a server at this port that it knows by this name, and that this authority vouches for. */
export async function handshake(port: number, servername: string, ca: string): Promise<string> {
  const socket = connect({ host: "127.0.0.1", port, servername, ca });
  try {
    await once(socket, "secureConnect");
    return "trusted";
  } catch (error) {
    return (error as Error).message;
  } finally {
    socket.destroy();
  }
}
