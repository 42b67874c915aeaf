import type { Socket } from "node:net";

/** Keeps what listens to a socket from reading on, so that the socket fills and its peer has to wait. */
export interface SocketValve {
  attach(socket: Socket): void;
  close(): void;
  open(): void;
}

/**
 * Makes an open valve. The `pause()` of undici 7 is no way to do it: when the peer ends or resets the connection
 * meanwhile, undici fails an assertion where nobody can catch it (nodejs/undici#5360, corrected in 8 only).
 */
export function createSocketValve(): SocketValve {
  let socket: Socket | null = null;
  let held: (() => void)[] = [];
  return {
    attach(opened) {
      socket = opened;
    },
    close() {
      if (socket === null || held.length > 0) return;
      held = socket.listeners("readable") as (() => void)[];
      for (const listener of held) socket.off("readable", listener);
    },
    open() {
      // Whoever begins to listen is told at once of what is there.
      for (const listener of held) socket?.on("readable", listener);
      held = [];
    },
  };
}
