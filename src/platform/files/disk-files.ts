import type { Files } from "../../contracts/files.ts";
import { readStamp } from "./file-stamp.ts";
import { loadFile } from "./load-file.ts";
import { readLines } from "./read-lines.ts";
import { writeFile } from "./write-file.ts";

/** The files on the disk. */
export const DISK_FILES: Files = { stamp: readStamp, load: loadFile, readLines, write: writeFile };
