import { expect, test } from "vitest";
import { portNamed } from "../../src/init/frameworks.ts";

test.each([
  ["server.listen(port, '127.0.0.1');", null],
  ['const port = "127.0.0.1";', null],
  ["app.listen(process.env.PORT ?? 4000, '127.0.0.1');", 4000],
  ["const port = 8081;", 8081],
])("the port in %s is %j, and not part of an address", (text, port) => {
  expect(portNamed([{ name: "app.js", text }])?.port ?? null).toBe(port);
});
