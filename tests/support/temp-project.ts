import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** The variable with the machine's own temporary folder, where the runner keeps those of the tests in memory. */
export const DISK_VARIABLE = "TEST_DISK";

/**
 * A real folder with real files, removed at the end of its scope: `await using project = await tempProject({ "a.txt": "…" })`.
 * @param on "disk" for folders of confined commands, which have devices, and so shared memory, of their own.
 */
export async function tempProject(
  files: Readonly<Record<string, string | Uint8Array>> = {},
  on: "disk" | "any" = "any",
) {
  const parent = (on === "disk" && process.env[DISK_VARIABLE]) || tmpdir();
  const dir = await realpath(await mkdtemp(join(parent, "quoll-test-")));
  const path = (name: string) => join(dir, name);
  const write = async (name: string, content: string | Uint8Array) => {
    await mkdir(dirname(path(name)), { recursive: true });
    await writeFile(path(name), content);
    return path(name);
  };
  for (const [name, content] of Object.entries(files)) await write(name, content);
  return {
    dir,
    path,
    write,
    read: (name: string) => readFile(path(name), "utf8"),
    [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }),
  };
}
