import type { Readable } from "node:stream";
import zlib from "node:zlib";
import { errorCode, ToolFailedError } from "../../../contracts/errors.ts";
import type { Answered } from "./send-request.ts";

/** The largest body, counted after decompression. */
export const MAX_BODY_BYTES = 10 * 1024 * 1024;

type Decoder = Readable & NodeJS.WritableStream;
const FLUSHED = { finishFlush: zlib.constants.Z_SYNC_FLUSH };
const DECODERS: Readonly<Record<string, () => Decoder>> = {
  // Browsers too accept a compressed body that lacks its end.
  gzip: () => zlib.createGunzip(FLUSHED),
  "x-gzip": () => zlib.createGunzip(FLUSHED),
  deflate: () => zlib.createInflate(FLUSHED),
  br: () => zlib.createBrotliDecompress({ finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH }),
};

/**
 * Reads a body to its end. It is counted while it is decompressed, so that a small answer can't grow without a limit.
 * @throws {ToolFailedError} the body is too large, damaged or compressed in an unknown way.
 * @throws the abort reason when `signal` aborts.
 */
export async function readBody(answered: Answered, maxBytes: number, signal: AbortSignal): Promise<Buffer> {
  const { body, header } = answered;
  const encoding = (header("content-encoding") ?? "identity").trim().toLowerCase();
  const isPlain = encoding === "identity" || encoding === "";
  try {
    if (isPlain && Number(header("content-length") ?? 0) > maxBytes) throw tooLarge(maxBytes);
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of isPlain ? body : decoded(body, encoding)) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw tooLarge(maxBytes);
      chunks.push(Buffer.from(chunk));
    }
    signal.throwIfAborted();
    return Buffer.concat(chunks);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ToolFailedError) throw error;
    const isDamaged = /^(?:Z_|ERR_|ERR__)/.test(errorCode(error) ?? "") && !isPlain;
    throw new ToolFailedError(isDamaged ? `its ${encoding} data is damaged` : "the connection ended too early", {
      cause: error,
    });
  } finally {
    body.destroy();
  }
}

/** @throws {ToolFailedError} an unknown encoding, or several one around the other. */
function decoded(body: Readable, encoding: string): Decoder {
  const decoder = DECODERS[encoding]?.();
  if (!decoder)
    throw new ToolFailedError(`it is compressed as ${JSON.stringify(encoding.slice(0, 40))}, which can't be read`);
  body.once("error", (error) => decoder.destroy(error));
  body.once("close", () => {
    if (!body.readableEnded) decoder.destroy(new Error("The body ended too early."));
  });
  decoder.once("close", () => body.destroy());
  body.pipe(decoder);
  return decoder;
}

function tooLarge(maxBytes: number): ToolFailedError {
  return new ToolFailedError(`it is larger than ${maxBytes / 1024 / 1024} MB, the most that is read`);
}
