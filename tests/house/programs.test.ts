import { expect, setDefaultTimeout, test } from "bun:test";
import { runCommand } from "../support/run-command.ts";

setDefaultTimeout(30_000);

const HAS_BUBBLEWRAP = process.platform === "linux";

// Tests that need one of these are left out where there is none: this one says so.
test.each([
  ["bash", "--version"],
  ["git", "--version"],
  ["tmux", "-V"],
  ...(HAS_BUBBLEWRAP ? [["bwrap", "--unshare-user", "--unshare-pid", "--ro-bind", "/", "/", "true"]] : []),
])("%s is installed and works", async (program, ...args) => {
  expect(Bun.which(program)).not.toBeNull();
  expect(await runCommand([program, ...args], { cwd: "/" })).toMatchObject({ code: 0 });
});
