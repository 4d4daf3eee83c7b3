import { join, resolve } from "node:path";
import { entryExists } from "../paths.ts";
import { partsOf } from "./glob-braces.ts";
import { isAmbiguous } from "./path-glob.ts";

/** The literal beginning of a glob as an absolute path, and the parts after it. */
export type FixedPart = { readonly fixed: string; readonly rest: readonly string[] };

/**
 * Splits a glob at its first part that may mean several names. A part that exists as it is written is literal.
 * @param start Absolute: the folder of a relative glob.
 */
export function fixedPart(glob: string, { start, home }: { readonly start: string; readonly home: string }): FixedPart {
  const isOfHome = /^~(?:\/|$)/.test(glob);
  const parts = partsOf(isOfHome ? glob.slice(1) : glob);
  let fixed = glob.startsWith("/") ? "/" : isOfHome ? home : start;
  for (const [at, part] of parts.entries()) {
    const name = literalName(part, fixed);
    if (name === undefined) return { fixed, rest: parts.slice(at) };
    fixed = resolve(fixed, name);
  }
  return { fixed, rest: [] };
}

/**
 * `src\\app\\*.ts` → `src/app/*.ts`: a glob without a slash whose first name is an existing folder was written for
 * Windows.
 * @param start Absolute.
 */
export function withSlashes(glob: string, start: string): string {
  const [first = ""] = glob.split("\\", 1);
  const isOfWindows = first !== "" && first !== glob && !glob.includes("/") && entryExists(join(start, first));
  return isOfWindows ? glob.replaceAll("\\", "/") : glob;
}

/** The name that a part of a glob means in a folder; undefined if it may mean several. */
function literalName(part: string, folder: string): string | undefined {
  const exists = (name: string) => entryExists(join(folder, name));
  if (/[*?[{\\]/.test(part) && isAmbiguous(part) && exists(part)) return part;
  if (/[*?[{]/.test(part.replace(/\\./gs, ""))) return undefined;
  const plain = part.replace(/\\(.)/gs, "$1");
  // Disks keep accented letters in one of two forms.
  return [plain, plain.normalize("NFC"), plain.normalize("NFD")].find(exists) ?? plain;
}
