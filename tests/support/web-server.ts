import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { createServer as createSocketServer, type Socket } from "node:net";

export type WebServer = AsyncDisposable & {
  readonly port: number;
  /** The requests so far: their lines and headers. */
  readonly requests: readonly Pick<IncomingMessage, "url" | "method" | "headers">[];
  /** The open connections. */
  readonly open: ReadonlySet<Socket>;
};

/** A web server on loopback. */
export async function webServer(answer: RequestListener): Promise<WebServer> {
  const requests: WebServer["requests"][number][] = [];
  const server = createServer((request, response) => {
    const { url, method, headers } = request;
    requests.push({ url, method, headers });
    response.on("error", () => undefined);
    answer(request, response);
  });
  const open = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    open.add(socket);
    socket.on("close", () => open.delete(socket));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as { port: number };
  const close = async () => {
    for (const socket of open) socket.destroy();
    await new Promise<void>((done) => {
      server.close(() => done());
      server.closeAllConnections();
    });
  };
  return { port, requests, open, [Symbol.asyncDispose]: close };
}

/** A server on loopback that speaks as `talk` says: for answers that no web server gives. */
export async function socketServer(talk: (socket: Socket) => void) {
  const open = new Set<Socket>();
  const server = createSocketServer((socket) => {
    open.add(socket);
    socket.on("close", () => open.delete(socket));
    socket.on("error", () => undefined);
    socket.once("data", () => talk(socket));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as { port: number };
  const close = async () => {
    for (const socket of open) socket.destroy();
    await new Promise<void>((done) => void server.close(() => done()));
  };
  return { port, open, [Symbol.asyncDispose]: close };
}
