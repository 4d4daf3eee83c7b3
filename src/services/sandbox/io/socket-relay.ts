import { chmodSync, rmSync } from "node:fs";
import { connect, createServer, type NetConnectOpts, type Server, type Socket } from "node:net";

/** A server that forwards every connection to one target. */
export interface Relay {
  /** The listening port, if it listens on one. */
  readonly port: number | undefined;
  /** Ends the server and all connections. */
  close(): Promise<void>;
}

export type RelayEnd = { readonly socketPath: string } | { readonly port: number };

/**
 * The target of forwarded connections. `named`: each connection starts with its loopback port in two bytes, big-endian.
 * `namedPort` writes these bytes to such a relay.
 */
export type RelayTarget = RelayEnd | "named" | { readonly socketPath: string; readonly namedPort: number };

/**
 * Forwards connections from a unix socket to a loopback port or the other way round.
 * @throws {Error} a system error: the address is taken or can't be created.
 */
export async function startRelay(from: RelayEnd, to: RelayTarget): Promise<Relay> {
  const open = new Set<Socket>();
  const track = (socket: Socket) => {
    open.add(socket);
    socket.on("close", () => open.delete(socket));
    // The peer notices an error through the close that follows.
    socket.on("error", () => undefined);
  };
  const join = (source: Socket, end: RelayEnd, first?: Buffer, isSecondAttempt = false) => {
    const address = isSecondAttempt ? { ...addressOf(end), host: "::1" } : addressOf(end);
    const target = connect({ ...address, allowHalfOpen: true } as NetConnectOpts);
    let isConnected = false;
    track(target);
    // A half-close ends one direction; a close ends both.
    const closeTarget = () => target.destroy();
    source.on("close", closeTarget);
    target.on("connect", () => {
      isConnected = true;
      if (first) target.write(first);
      source.pipe(target);
      target.pipe(source);
    });
    target.on("close", () => {
      source.off("close", closeTarget);
      // A server may listen only on IPv6.
      if (!isConnected && !isSecondAttempt && "port" in end && !source.destroyed) join(source, end, first, true);
      else source.destroy();
    });
  };
  const server = createServer({ allowHalfOpen: true }, (source) => {
    track(source);
    if (to === "named") onNamedPort(source, (port) => join(source, { port }));
    else if ("namedPort" in to) join(source, to, portBytes(to.namedPort));
    else join(source, to);
  });
  await listen(server, from);
  const address = server.address();
  return {
    port: address !== null && typeof address === "object" ? address.port : undefined,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
        if ("socketPath" in from) rmSync(from.socketPath, { force: true });
      }),
  };
}

function portBytes(port: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(port);
  return bytes;
}

/** Reads the two bytes that name a port and leaves the rest in the socket. */
function onNamedPort(source: Socket, found: (port: number) => void): void {
  const onReadable = () => {
    const bytes = source.read(2) as Buffer | null;
    if (!bytes) return;
    source.off("readable", onReadable);
    if (bytes.length === 2) found(bytes.readUInt16BE());
    else source.destroy();
  };
  source.on("readable", onReadable);
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
