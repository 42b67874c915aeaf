import { createServer } from "node:http";

// Acknowledges every delivery at once: what is measured is who sends them. Prints its address.

const manifest = { modules: { webhook: [{ key: "bench", url: "/webhook", events: ["project.translated"] }] } };

const server = createServer((request, response) => {
  if (request.method === "GET") {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(manifest));
    return;
  }
  request.resume();
  request.once("end", () => {
    response.statusCode = 204;
    response.end();
  });
});
server.listen(0, "127.0.0.1", () => {
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  process.stdout.write(`http://127.0.0.1:${port}\n`);
});
process.once("SIGTERM", () => process.exit());
