import { chmodSync, lstatSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { dirname } from "node:path";
import { StringDecoder } from "node:string_decoder";
import { errorCode, errorMessage, UserFacingError } from "../contracts/errors.ts";
import { PRIVATE_FILE_MODE } from "./private-file.ts";

/** unix(7): `sun_path` has 108 bytes on Linux and 104 on macOS, the final NUL included. */
const MAX_PATH_BYTES = 103;
/** A longer line is no message of Quoll. */
const MAX_LINE_CHARS = 64 * 1024 * 1024;
/** A reader that is further behind is cut off: it does not read at all. */
const MAX_UNSENT_BYTES = 64 * 1024 * 1024;
const BITS_OF_OTHERS = 0o077;

/** A connection on which both sides send lines. */
export type LineConnection = {
  /** Sends a text without line ends. After the end of the connection it does nothing. */
  send(line: string): void;
  /** Ends the connection after everything that was sent. */
  close(): void;
};

/** Receives the lines of a connection. `closed` is called once, whoever ended it. */
export type LineReader = { line(text: string): void; closed(): void };

export type LineServer = {
  /** Ends every connection after what was sent to it. */
  close(): Promise<void>;
};

/**
 * Opens a Unix socket that only this user reaches.
 * @param path Absolute, in a folder that only this user can enter.
 * @throws {UserFacingError} the path is too long, the folder is open to others, or the system refused.
 */
export async function openLineServer(
  path: string,
  accept: (connection: LineConnection) => LineReader,
): Promise<LineServer> {
  assertUsable(path);
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
    serve(socket, accept);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) => reject(refused(path, cause)));
    server.listen(path, resolve);
  });
  chmodSync(path, PRIVATE_FILE_MODE);
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.end(() => socket.destroy());
      }),
  };
}

/**
 * Connects to a socket of `openLineServer`.
 * @returns undefined if nobody listens there.
 * @throws {UserFacingError} as `openLineServer`.
 */
export async function connectLines(
  path: string,
  accept: (connection: LineConnection) => LineReader,
): Promise<LineConnection | undefined> {
  assertUsable(path);
  const socket = connect(path);
  const problem = await new Promise<Error | undefined>((resolve) => {
    socket.once("error", resolve);
    socket.once("connect", () => {
      socket.off("error", resolve);
      resolve(undefined);
    });
  });
  if (problem === undefined) return serve(socket, accept);
  if (errorCode(problem) === "ENOENT" || errorCode(problem) === "ECONNREFUSED") return undefined;
  throw refused(path, problem);
}

function serve(socket: Socket, accept: (connection: LineConnection) => LineReader): LineConnection {
  const connection = {
    send: (line: string) => {
      if (socket.destroyed || socket.writableEnded) return;
      if (socket.writableLength > MAX_UNSENT_BYTES) socket.destroy();
      else socket.write(`${line}\n`);
    },
    close: () => void socket.end(),
  };
  const reader = accept(connection);
  const decoder = new StringDecoder("utf8");
  let rest = "";
  socket.on("data", (bytes) => {
    const lines = (rest + decoder.write(bytes)).split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > MAX_LINE_CHARS) socket.destroy();
    for (const line of lines) if (!socket.destroyed) reader.line(line);
  });
  // A close event follows every error, so errors need no handling of their own.
  socket.on("error", () => undefined);
  socket.once("close", () => reader.closed());
  return connection;
}

function assertUsable(path: string): void {
  if (Buffer.byteLength(path) > MAX_PATH_BYTES)
    throw new UserFacingError(
      `The path of the socket ${path} is longer than ${MAX_PATH_BYTES} bytes: set QUOLL_HOME or XDG_STATE_HOME to a shorter folder.`,
    );
  const folder = lstatSync(dirname(path), { throwIfNoEntry: false });
  if (!folder) return;
  const isOwn = process.getuid === undefined || folder.uid === process.getuid();
  if (!isOwn || (folder.mode & BITS_OF_OTHERS) !== 0)
    throw new UserFacingError(`The folder ${dirname(path)} is open to other users: remove it, or chmod 700 it.`);
}

function refused(path: string, cause: Error): UserFacingError {
  return new UserFacingError(`The socket ${path} can't be used: ${errorMessage(cause)}.`, 1, { cause });
}
