import { relative } from "node:path";
import { errorMessage } from "../../contracts/errors.ts";
import { readOrProblem } from "../../platform/read-small-file.ts";
import { parseObject } from "./manifest.ts";
import type { Reading } from "./plugin-paths.ts";

const MAX_FILE_BYTES = 1024 * 1024;

/** The JSON object of a plugin's file; undefined, with a problem, if it can't be read. */
export function readObject(file: string, { root, problem }: Reading): Readonly<Record<string, unknown>> | undefined {
  const shown = relative(root, file);
  const read = readOrProblem(file, MAX_FILE_BYTES);
  if ("problem" in read) {
    problem(`${shown} can't be read (${read.problem})`);
    return undefined;
  }
  try {
    return parseObject(read.bytes.toString("utf8"));
  } catch (error) {
    problem(`${shown}: ${errorMessage(error)}`);
    return undefined;
  }
}
