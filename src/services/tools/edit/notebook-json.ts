import type { ParseError } from "jsonc-parser/lib/esm/main.js";
import { isJson } from "../../../contracts/parsed-json.ts";
import { lineAt } from "./line-ends.ts";

/** True for a Jupyter notebook, whose lines of source are strings of JSON. */
export function isNotebook(path: string): boolean {
  return path.endsWith(".ipynb");
}

/** @returns the number of the first line that is not valid JSON; undefined if `after` is valid, or `before` was not. */
export async function brokenJsonLine(before: string, after: string): Promise<number | undefined> {
  if (isJson(after) || !isJson(before)) return undefined;
  const { parse } = await import("jsonc-parser/lib/esm/main.js");
  const errors: ParseError[] = [];
  parse(after, errors, { disallowComments: true });
  return lineAt(after, errors[0]?.offset ?? 0);
}
