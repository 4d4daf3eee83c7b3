import type { Readable, Writable } from "node:stream";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { MAX_MESSAGE_BYTES, type ServePorts, serveConnection } from "./serve-connection.ts";

type StdioPorts = ServePorts & {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly signal: AbortSignal;
};

/** Serves one client over stdin and stdout, until stdin ends, the reader of stdout has exited, or `signal` aborts. */
export async function serveStdio({ stdin, stdout, signal, ...ports }: StdioPorts): Promise<void> {
  const transport = new StdioServerTransport(stdin, stdout, { maxBufferSize: MAX_MESSAGE_BYTES });
  const connection = await serveConnection(transport, ports);
  const close = () => void connection.close();
  stdin.once("end", close);
  stdin.once("close", close);
  stdout.once("error", close);
  if (signal.aborted) close();
  signal.addEventListener("abort", close, { once: true });
  await connection.ended;
  signal.removeEventListener("abort", close);
}
