import { createHash } from "node:crypto";

const HASH_CHARS = 10;
const MAX_SLUG_CHARS = 40;

/**
 * A stable, readable file name for a project: the last two parts of its real path and a short hash of the whole path.
 * `/home/ann/code/My App` → `code-my-app-3f2a…`.
 */
export function projectId(realRoot: string): string {
  const slug = realRoot
    .split("/")
    .filter((part) => part !== "")
    .slice(-2)
    .join("-")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(-MAX_SLUG_CHARS)
    .replace(/^-+|-+$/g, "");
  const hash = createHash("sha256").update(realRoot).digest("hex").slice(0, HASH_CHARS);
  return `${slug || "root"}-${hash}`;
}
