import { closeSync, constants, openSync, readSync } from "node:fs";

/** Bytes per read. */
const CHUNK_BYTES = 1024 * 1024;

/**
 * Reads the complete lines of files as strings with one character for each byte. This costs a small part of decoding
 * UTF-8, which `decodeLatin1Line` does for the few lines that a reader needs as text. The buffer is kept from file to file,
 * because thousands of small files are read in turn.
 */
export class Latin1Lines {
  readonly #chunk = Buffer.allocUnsafe(CHUNK_BYTES);

  /**
   * Calls `visit` for each line that ends with a line feed.
   * @param file `bytes`: its size; what follows is not read.
   * @param from Bytes to skip, up to the beginning of a line.
   * @param visit Gets a line without its line feed, and the offset of the first byte behind it. False ends the reading.
   * @throws {Error} a system error.
   */
  read(
    { path, bytes }: { readonly path: string; readonly bytes: number },
    from: number,
    visit: (line: string, end: number) => boolean,
  ): void {
    const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      let beginning = "";
      for (let position = from; position < bytes; ) {
        const count = readSync(fd, this.#chunk, 0, Math.min(CHUNK_BYTES, bytes - position), position);
        if (count === 0) return;
        const text = this.#chunk.toString("latin1", 0, count);
        let start = 0;
        for (let found = text.indexOf("\n"); found >= 0; found = text.indexOf("\n", start)) {
          const line = beginning + text.slice(start, found);
          beginning = "";
          start = found + 1;
          if (!visit(line, position + start)) return;
        }
        beginning += text.slice(start);
        position += count;
      }
    } finally {
      closeSync(fd);
    }
  }
}

/** The text of a line with one character for each byte of its UTF-8. */
export function decodeLatin1Line(line: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are all characters of one byte.
  return /^[\x00-\x7f]*$/.test(line) ? line : Buffer.from(line, "latin1").toString("utf8");
}
