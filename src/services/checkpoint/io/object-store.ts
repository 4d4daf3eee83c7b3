import { createHash, type Hash } from "node:crypto";
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  utimesSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { constants, createDeflate, deflateSync, inflateSync } from "node:zlib";
import { errorCode } from "../../../contracts/errors.ts";
import { randomHex } from "../../../platform/digest.ts";
import { objectsIn } from "../../../platform/git/existing-objects.ts";
import { PRIVATE_FILE_MODE, PRIVATE_FOLDER_MODE, writeAll } from "../../../platform/private-file.ts";
import { inSlices } from "./in-slices.ts";
import type { ShadowGit } from "./shadow-git.ts";

/** Larger files are read in parts. */
const AT_ONCE_BYTES = 4 * 1024 * 1024;
const PART_BYTES = 1024 * 1024;
const LEVEL = constants.Z_BEST_SPEED;

/** An entry of a tree object. `mode`: octal without leading zeros, "40000" for a tree. */
export type TreeEntry = { readonly name: string; readonly mode: string; readonly oid: string };

/**
 * Contents by the name that git gives them, as loose objects of a git repository (gitrepository-layout(5)). Git is not
 * needed to write objects, nor to read the ones that were written here.
 */
export class ObjectStore {
  readonly #folder: string;
  readonly #git: ShadowGit | undefined;

  /** @param folder The folder `objects` of the repository: absolute. @param git Reads objects that git has packed. */
  constructor(folder: string, git: ShadowGit | undefined) {
    this.#folder = folder;
    this.#git = git;
  }

  /** @returns the object's name: 40 hexadecimal digits. @throws {Error} a system error. */
  write(content: Uint8Array, type: "blob" | "tree" = "blob"): string {
    const head = Buffer.from(`${type} ${content.length}\0`);
    const oid = createHash("sha1").update(head).update(content).digest("hex");
    if (this.#freshen(oid)) return oid;
    this.#place(oid, (fd) => writeAll(fd, deflateSync(Buffer.concat([head, content]), { level: LEVEL })));
    return oid;
  }

  /** A tree with these entries. */
  writeTree(entries: readonly TreeEntry[]): string {
    const key = ({ name, mode }: TreeEntry) => (mode === "40000" ? `${name}/` : name);
    const sorted = [...entries].sort((a, b) => Buffer.compare(Buffer.from(key(a)), Buffer.from(key(b))));
    const lines = sorted.flatMap(({ name, mode, oid }) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(oid, "hex")]);
    return this.write(Buffer.concat(lines), "tree");
  }

  /** The target of a link, as an object. @throws {Error} a system error. */
  writeLink(path: string): string {
    return this.write(readlinkSync(path, "buffer"));
  }

  /**
   * The content of a file, as an object. The file is read once.
   * @param size The file's size in bytes.
   * @throws {Error} a system error; `changed` if the file has another size.
   */
  async writeFile(path: string, size: number, signal: AbortSignal): Promise<string> {
    if (size <= AT_ONCE_BYTES) {
      const bytes = readFileSync(path);
      if (bytes.length !== size) throw new Error("it changed while it was stored");
      return this.write(bytes);
    }
    const oid = await hashOf(path, size, signal);
    if (this.#freshen(oid)) return oid;
    const temporary = join(this.#folder, `tmp_obj_${randomHex(8)}`);
    try {
      await compressTo(temporary, path, { size, oid, signal });
      mkdirSync(join(this.#folder, oid.slice(0, 2)), { recursive: true, mode: PRIVATE_FOLDER_MODE });
      renameSync(temporary, this.#pathOf(oid));
      return oid;
    } finally {
      removeQuietly(temporary);
    }
  }

  /** @returns undefined if there is no such object. @throws {Error} a system error. */
  async read(oid: string, signal: AbortSignal): Promise<Buffer | undefined> {
    return (await this.readMany([oid], signal)).get(oid);
  }

  /** Reads objects, packed ones with one run of git. An object that is missing or damaged is left out. */
  async readMany(oids: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, Buffer>> {
    const found = new Map<string, Buffer>();
    const packed: string[] = [];
    await inSlices([...new Set(oids)], signal, (oid) => {
      const content = this.#readLoose(oid);
      if (content === "missing") packed.push(oid);
      else if (content) found.set(oid, content);
    });
    if (packed.length > 0) for (const [oid, content] of await this.#readPacked(packed, signal)) found.set(oid, content);
    return found;
  }

  #readLoose(oid: string): Buffer | "missing" | undefined {
    try {
      const bytes = inflateSync(readFileSync(this.#pathOf(oid)));
      // A file that a crash or a bad disk has damaged must never reach the work tree.
      const isWhole = createHash("sha1").update(bytes).digest("hex") === oid;
      return isWhole ? bytes.subarray(bytes.indexOf(0) + 1) : undefined;
    } catch (error) {
      if (errorCode(error) === "ENOENT") return "missing";
      if (errorCode(error)?.startsWith("Z_")) return undefined;
      throw error;
    }
  }

  async #readPacked(oids: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, Buffer>> {
    const input = `${oids.join("\n")}\n`;
    const printed = await this.#git?.({ args: ["cat-file", "--batch"], input, signal }).catch(() => undefined);
    signal.throwIfAborted();
    if (!printed && this.#git && oids.length > 1) {
      // Together they may be more than one run may print.
      const middle = oids.length >> 1;
      const first = await this.#readPacked(oids.slice(0, middle), signal);
      return new Map([...first, ...(await this.#readPacked(oids.slice(middle), signal))]);
    }
    return printed ? objectsIn(printed) : new Map();
  }

  has(oid: string): boolean {
    return existsSync(this.#pathOf(oid));
  }

  /** Marks an object as new, so that a prune that runs now keeps it. */
  #freshen(oid: string): boolean {
    const now = new Date();
    try {
      utimesSync(this.#pathOf(oid), now, now);
      return true;
    } catch {
      return false;
    }
  }

  #place(oid: string, write: (fd: number) => void): void {
    const folder = join(this.#folder, oid.slice(0, 2));
    mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER_MODE });
    const temporary = join(folder, `tmp_obj_${randomHex(8)}`);
    try {
      const fd = openSync(temporary, "wx", PRIVATE_FILE_MODE);
      try {
        write(fd);
      } finally {
        closeSync(fd);
      }
      renameSync(temporary, this.#pathOf(oid));
    } catch (error) {
      removeQuietly(temporary);
      throw error;
    }
  }

  #pathOf(oid: string): string {
    return join(this.#folder, oid.slice(0, 2), oid.slice(2));
  }
}

/** Git's own clean-up finds a file that stays. */
function removeQuietly(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // The disk is read-only: the failure of the write says so.
  }
}

function startedHash(size: number): Hash {
  return createHash("sha1").update(`blob ${size}\0`);
}

async function hashOf(path: string, size: number, signal: AbortSignal): Promise<string> {
  const hash = startedHash(size);
  for await (const part of partsOf(path, size, signal)) hash.update(part);
  return hash.digest("hex");
}

type Compressed = { readonly size: number; readonly oid: string; readonly signal: AbortSignal };

async function compressTo(temporary: string, path: string, { size, oid, signal }: Compressed): Promise<void> {
  await using target = await open(temporary, "wx", PRIVATE_FILE_MODE);
  const hash = startedHash(size);
  const deflate = createDeflate({ level: LEVEL });
  const feeding = (async () => {
    deflate.write(`blob ${size}\0`);
    for await (const part of partsOf(path, size, signal)) {
      hash.update(part);
      if (!deflate.write(part)) await new Promise((resolve) => deflate.once("drain", resolve));
    }
    deflate.end();
  })().catch((error: unknown) => deflate.destroy(error instanceof Error ? error : new Error(String(error))));
  for await (const piece of deflate) await target.write(piece as Buffer);
  await feeding;
  if (hash.digest("hex") !== oid) throw new Error("it changed while it was stored");
}

async function* partsOf(path: string, size: number, signal: AbortSignal): AsyncGenerator<Buffer> {
  await using file = await open(path, "r");
  let done = 0;
  for (;;) {
    signal.throwIfAborted();
    const { bytesRead, buffer } = await file.read(Buffer.alloc(PART_BYTES), 0, PART_BYTES, done);
    done += bytesRead;
    if (done > size || (bytesRead === 0 && done < size)) throw new Error("it changed while it was stored");
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
  }
}
