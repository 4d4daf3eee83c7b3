import { chmodSync, rmSync } from "node:fs";
import { connect, createServer, type NetConnectOpts, type Server, type Socket } from "node:net";

/** A server that hands every connection on to one other place. */
export interface Relay {
  /** Ends the server and all connections. */
  close(): Promise<void>;
}

export type RelayEnd = { readonly socketPath: string } | { readonly port: number };

/**
 * Hands connections from a unix socket to a loopback port, or the other way round.
 * @throws {Error} a system error: the address is taken, or can't be made.
 */
export async function startRelay(from: RelayEnd, to: RelayEnd): Promise<Relay> {
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (source) => {
    const target = connect({ ...addressOf(to), allowHalfOpen: true } as NetConnectOpts);
    for (const socket of [source, target]) {
      open.add(socket);
      socket.on("close", () => {
        open.delete(socket);
        // Half-closed is an ordinary end of one direction; closed is the end of both.
        (socket === source ? target : source).destroy();
      });
      // The peer learns of an error by the close that follows.
      socket.on("error", () => undefined);
    }
    source.pipe(target);
    target.pipe(source);
  });
  await listen(server, from);
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
        if ("socketPath" in from) rmSync(from.socketPath, { force: true });
      }),
  };
}

function addressOf(end: RelayEnd) {
  return "socketPath" in end ? { path: end.socketPath } : { host: "127.0.0.1", port: end.port };
}

function listen(server: Server, at: RelayEnd): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(addressOf(at), () => {
      server.off("error", reject);
      if ("socketPath" in at) chmodSync(at.socketPath, 0o600);
      resolve();
    });
  });
}
