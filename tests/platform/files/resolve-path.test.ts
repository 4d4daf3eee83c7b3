import { expect, test } from "bun:test";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { tempProject } from "../../support/temp-project.ts";

const SCRIPT = join(import.meta.dir, "../../../src/platform/files/resolve-path.ts");

/** Asked in a process of its own, whose output is a pipe. */
function resolved(text: string, cwd: string): string {
  const source = `import { resolvePath } from ${JSON.stringify(SCRIPT)};
    const asked = resolvePath(${JSON.stringify(text)}, { cwd: ${JSON.stringify(cwd)}, home: "/home/ann" });
    console.log(await asked.then(({ path }) => path, (error) => error.message));`;
  return Bun.spawnSync([process.execPath, "-e", source], { stdout: "pipe", stdin: "ignore" }).stdout.toString().trim();
}

test("a pipe of the process is no file, by whichever name", async () => {
  await using project = await tempProject({ "a.txt": "" });
  symlinkSync("/dev/fd/1", project.path("link"));
  for (const name of ["/dev/fd/1", "/dev/stdout", "/proc/self/fd/1", "link"])
    expect([name, resolved(name, project.dir)]).toEqual([
      name,
      expect.stringMatching(/is a pipe or a socket of Quoll's own, not a file\.$/),
    ]);
  expect(resolved("a.txt", project.dir)).toBe(project.path("a.txt"));
  expect(resolved("new/b.txt", project.dir)).toBe(project.path("new/b.txt"));
});
