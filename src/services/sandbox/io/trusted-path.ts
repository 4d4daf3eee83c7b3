import { readlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { errorCode } from "../../../contracts/errors.ts";

/** The kernel's limit on followed links (path_resolution(7)). */
const MAX_LINKS = 40;

/**
 * Resolves the links of a path from settings.
 * @param path Absolute.
 * @param isWritable True if confined programs may write in a folder.
 * @returns undefined when the path is missing, or when one of its links lies in a folder where a confined program could
 * have created it.
 */
export function trustedPath(path: string, isWritable: (folder: string) => boolean): string | undefined {
  let at = "/";
  let links = 0;
  const left = names(path);
  for (let name = left.shift(); name !== undefined; name = left.shift()) {
    if (name === "..") at = dirname(at);
    if (name === ".." || name === ".") continue;
    const next = join(at, name);
    const { kind, target } = look(next);
    if (kind === "missing") return undefined;
    if (kind === "plain") {
      at = next;
      continue;
    }
    links += 1;
    if (links > MAX_LINKS || isWritable(at)) return undefined;
    left.unshift(...names(target));
    if (target.startsWith("/")) at = "/";
  }
  return at;
}

function names(path: string): string[] {
  return path.split("/").filter((name) => name !== "");
}

type Look = { readonly kind: "link" | "plain" | "missing"; readonly target: string };

function look(path: string): Look {
  try {
    return { kind: "link", target: readlinkSync(path) };
  } catch (error) {
    return { kind: errorCode(error) === "EINVAL" ? "plain" : "missing", target: "" };
  }
}
