import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

export type Scripted = {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Objects become events of a stream; a text is the body as it is. */
  readonly body: string | readonly unknown[];
  /** True: the connection is broken after the body. */
  readonly isCut?: boolean;
};
export type Received = {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of several wires
  readonly body: any;
};

/** A server that answers with what it is given, one after another, and keeps what it was asked. */
export async function scriptedServer(...answers: readonly Scripted[]) {
  const requests: Received[] = [];
  let sockets = 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const answer = answers[Math.min(requests.length, answers.length - 1)]!;
    const text = Buffer.concat(chunks).toString();
    requests.push({
      path: request.url ?? "",
      headers: request.headers,
      body: text === "" ? undefined : JSON.parse(text),
    });
    const isStream = typeof answer.body !== "string";
    const type = isStream ? "text/event-stream" : "application/json";
    response.writeHead(answer.status ?? 200, { "content-type": type, ...answer.headers });
    const body =
      typeof answer.body === "string"
        ? answer.body
        : answer.body.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
    if (answer.isCut) response.write(body, () => response.destroy());
    else response.end(body);
  });
  server.on("connection", (socket) => {
    sockets += 1;
    socket.once("close", () => {
      sockets -= 1;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    get sockets() {
      return sockets;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
