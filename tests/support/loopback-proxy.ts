import http from "node:http";
import net, { type Socket } from "node:net";

type ProxyOptions = {
  /** `name:password` that it wants. */
  readonly credentials?: string;
  /** The status with which every tunnel and every request is refused. */
  readonly refuses?: number;
  /** Where a host really is, by host and port: names of the world lead nowhere here. */
  readonly routes?: Readonly<Record<string, string>>;
};

/**
 * A real forward proxy on this machine: plain requests by their absolute address, tunnels by CONNECT.
 * `seen`: one line for each request, `CONNECT 127.0.0.1:8443` or `POST http://127.0.0.1:8000/v1/messages`.
 */
export async function loopbackProxy({ credentials, refuses, routes = {} }: ProxyOptions = {}) {
  const seen: string[] = [];
  const sockets = new Set<Socket>();
  const kept = (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.once("close", () => sockets.delete(socket));
    return socket;
  };
  const wanted = credentials && `Basic ${Buffer.from(credentials).toString("base64")}`;
  const refusal = ({ headers }: http.IncomingMessage) => {
    if (wanted && headers["proxy-authorization"] !== wanted) return 407;
    return refuses;
  };
  const server = http.createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    const status = refusal(request);
    if (status !== undefined) {
      response
        .writeHead(status, { "proxy-authenticate": "Basic", "content-type": "text/plain" })
        .end("Not through here.");
      return;
    }
    const { "proxy-authorization": _, ...headers } = request.headers;
    const url = new URL(request.url ?? "");
    url.host = routes[url.host] ?? url.host;
    const onward = http.request(url, { method: request.method, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => {
      if (response.headersSent) response.destroy();
      else response.writeHead(502).end();
    });
    response.once("close", () => onward.destroy());
    request.pipe(onward);
  });
  server.on("connection", kept);
  server.on("connect", (request: http.IncomingMessage, client: Socket, head: Buffer) => {
    seen.push(`CONNECT ${request.url}`);
    kept(client);
    const status = refusal(request);
    if (status !== undefined) {
      client.end(`HTTP/1.1 ${status} Refused\r\nProxy-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    const { hostname, port } = new URL(`tcp://${request.url}`);
    const onward = kept(net.connect(Number(port), hostname));
    onward.once("connect", () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      if (head.length > 0) onward.write(head);
      onward.pipe(client).pipe(onward);
    });
    onward.once("close", () => client.destroy());
    client.once("close", () => onward.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as net.AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      for (const socket of sockets) socket.destroy();
      server.close(() => resolve());
    });
  return { host: `127.0.0.1:${port}`, port, seen, [Symbol.asyncDispose]: close };
}
