import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";

/** Everything below a folder by path: content and permissions of files, targets of links, folders. */
export function pictureOf(root: string, folder = "", into = new Map<string, string>()): Map<string, string> {
  for (const name of readdirSync(join(root, folder))) {
    const path = folder === "" ? name : `${folder}/${name}`;
    const stats = lstatSync(join(root, path));
    if (stats.isDirectory()) {
      into.set(path, "folder");
      pictureOf(root, path, into);
    } else if (stats.isSymbolicLink()) into.set(path, `link ${readlinkSync(join(root, path))}`);
    else into.set(path, `${(stats.mode & 0o777).toString(8)} ${readFileSync(join(root, path), "utf8")}`);
  }
  return into;
}
