import { once } from "node:events";
import { connect } from "node:net";
import { expect, it } from "vitest";
import { startSimulator } from "../../src/index.ts";
import { ask } from "../guard/visitor.ts";

/** Sends bytes to a platform, and reads until it ends the connection. */
async function sendBytes(url: string, bytes: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  let received = "";
  socket.on("data", (chunk) => {
    received += chunk;
  });
  socket.write(bytes);
  await once(socket, "close");
  return received;
}

// The routes are built when the first of these arrives.
it("the first requests are answered, also if several arrive at once", async () => {
  await using sim = await startSimulator({ port: 0 });
  const paths = ["/", "/.well-known/jwks.json", "/nothing", "/acme/login", "/"];
  const answers = await Promise.all(paths.map((path) => ask(sim.url + path)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 404, 200, 200]);
});

it("the first bytes are refused if they are not HTTP, and so are the next", async () => {
  await using sim = await startSimulator({ port: 0 });
  const refused = await Promise.all([sendBytes(sim.url, "what?\r\n\r\n"), sendBytes(sim.url, "what?\r\n\r\n")]);
  expect([...refused, await sendBytes(sim.url, "what?\r\n\r\n")]).toEqual(
    Array(3).fill(expect.stringMatching(/^HTTP\/1\.1 400 Bad Request\r\n/)),
  );
});

it("a client that leaves before the answer to the first request leaves a platform that answers and ends", async () => {
  await using sim = await startSimulator({ port: 0 });
  const socket = connect(Number(new URL(sim.url).port), "127.0.0.1");
  const head = "POST /oauth/token HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\n";
  await new Promise((resolve) => socket.write(head, resolve));
  socket.destroy();
  expect((await ask(`${sim.url}/`)).status).toBe(200);
});
