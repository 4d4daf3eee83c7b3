import { expect, test } from "bun:test";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { clipboardSequence, copyText } from "../../src/platform/clipboard.ts";
import { tempProject } from "../support/temp-project.ts";

const never = new AbortController().signal;

test("a text goes to the desktop's program, and to the terminal where there is none or over SSH", async () => {
  await using project = await tempProject({});
  const program = join(project.dir, "wl-copy");
  const copy = join(project.dir, "copied");
  await writeFile(program, `#!/bin/sh\ncat > "${copy}"\n`);
  await chmod(program, 0o755);
  const written: string[] = [];
  const target = (env: Record<string, string>) => ({
    os: "linux",
    env: { PATH: `${project.dir}:/usr/bin:/bin`, ...env },
    write: (sequence: string) => void written.push(sequence),
  });
  expect(await copyText("naïve\n", target({ WAYLAND_DISPLAY: "w" }), never)).toBe("copied with wl-copy");
  expect(await readFile(copy, "utf8")).toBe("naïve\n");
  expect(written).toEqual([]);
  await copyText("a", target({ WAYLAND_DISPLAY: "w", SSH_CONNECTION: "x" }), never);
  await copyText("b", target({}), never);
  expect(written).toEqual(["\u001b]52;c;YQ==\u0007", "\u001b]52;c;Yg==\u0007"]);
});

test("a program that fails is passed over, and a text that is too long for a terminal is not sent", async () => {
  await using project = await tempProject({ xclip: "#!/bin/sh\nexit 1\n" });
  await chmod(join(project.dir, "xclip"), 0o755);
  const written: string[] = [];
  const target = {
    os: "linux",
    env: { PATH: project.dir, DISPLAY: ":0" },
    write: (one: string) => void written.push(one),
  };
  expect(await copyText("a", target, never)).toContain("sent to the terminal");
  expect(copyText("a".repeat(200_000), target, never)).rejects.toThrow("not copied");
  expect(written).toHaveLength(1);
});

test("a terminal that shows sequences as text gets none, and the person hears that nothing was copied", () => {
  const target = { os: "linux", env: { PATH: "/nowhere" } };
  expect(copyText("a", target, never)).rejects.toThrow("not copied");
});

test("inside of tmux and screen the sequence is wrapped for the outer terminal", () => {
  expect(clipboardSequence("a", { TMUX: "x" })).toBe(
    "\u001b]52;c;YQ==\u0007\u001bPtmux;\u001b\u001b]52;c;YQ==\u0007\u001b\\",
  );
  expect(clipboardSequence("a", { STY: "x" })).toBe("\u001bP\u001b]52;c;YQ==\u0007\u001b\\");
});
