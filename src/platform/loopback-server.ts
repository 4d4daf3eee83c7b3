import { createServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { errorCode, UserFacingError } from "../contracts/errors.ts";

const LOOPBACK = "127.0.0.1";

export type LoopbackServer = {
  readonly port: number;
  /** Ends every connection. */
  close(): Promise<void>;
};

/**
 * Opens an HTTP server that only programs of this machine reach.
 * @param port 0 for any free port.
 * @throws {UserFacingError} the port is taken or not allowed.
 */
export async function openLoopbackServer(
  port: number,
  answer: (request: Request) => Promise<Response>,
): Promise<LoopbackServer> {
  const server = createServer(getRequestListener(answer, { overrideGlobalObjects: false }));
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) => {
      const why = errorCode(cause) === "EADDRINUSE" ? "another program uses it" : cause.message;
      reject(new UserFacingError(`Port ${port} can't be opened: ${why}.`, 1, { cause }));
    });
    server.listen(port, LOOPBACK, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
