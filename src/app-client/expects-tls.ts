import { connect } from "node:tls";
import { portOf } from "../config/platform-address.ts";
import { isLoopback } from "../protocol/url.ts";

const HANDSHAKE_TIMEOUT_MS = 500;

/**
 * Whether the app at a plain address of this machine expects TLS: its server then closes a connection that does not
 * begin with a handshake. No request is sent over the connection, so its server need not be authenticated.
 */
export function expectsTls(url: URL): Promise<boolean> {
  if (url.protocol !== "http:" || !isLoopback(url.hostname)) return Promise.resolve(false);
  return new Promise((resolve) => {
    const socket = connect({
      host: url.hostname.replace(/^\[|\]$/g, ""),
      port: portOf(url.href),
      rejectUnauthorized: false,
      timeout: HANDSHAKE_TIMEOUT_MS,
    });
    const answer = (isTls: boolean) => () => {
      socket.destroy();
      resolve(isTls);
    };
    socket.once("secureConnect", answer(true)).once("error", answer(false)).once("timeout", answer(false));
    socket.once("close", answer(false));
  });
}
