import { readFileSync } from "node:fs";
import net, { type AddressInfo, type Socket } from "node:net";
import { join } from "node:path";
import tls from "node:tls";

/** For 127.0.0.1 and localhost, signed by itself, of no use outside of these tests. */
export const SELF_SIGNED = join(import.meta.dir, "self-signed", "certificate.pem");
export const SELF_SIGNED_KEY = join(import.meta.dir, "self-signed", "key.pem");

type TlsOptions = {
  /** True if the client must show the very same certificate. */
  readonly wantsClient?: boolean;
};

/** TLS in front of a server of this machine. `begun`: how many handshakes were. */
export async function tlsFront(target: string, { wantsClient = false }: TlsOptions = {}) {
  const sockets = new Set<Socket>();
  const kept = (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.once("close", () => sockets.delete(socket));
    return socket;
  };
  let begun = 0;
  const { hostname, port: targetPort } = new URL(target);
  const cert = readFileSync(SELF_SIGNED);
  const client = wantsClient && { requestCert: true, rejectUnauthorized: true, ca: cert };
  const server = tls.createServer({ key: readFileSync(SELF_SIGNED_KEY), cert, ...client }, (client) => {
    const onward = kept(net.connect(Number(targetPort), hostname));
    kept(client);
    onward.pipe(client).pipe(onward);
    onward.once("close", () => client.destroy());
    client.once("close", () => onward.destroy());
  });
  server.on("connection", (socket: Socket) => {
    begun += 1;
    kept(socket);
  });
  server.on("tlsClientError", () => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    get begun() {
      return begun;
    },
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
