import { describe, expect, test } from "bun:test";
import { sourceFiles, textOf } from "./house-rules.ts";

/**
 * Every file that starts programs, and the stdin of these programs. The runtime's `pipe` is a socket, which nobody's
 * command may get (src/platform/processes/child-stdin.ts says why). The programs with a socket are Quoll's own.
 */
const STARTERS: Readonly<Record<string, string>> = {
  "src/platform/processes/input-pipe.ts": "none: mkfifo makes the pipe of others",
  "src/platform/processes/run-captured.ts": "inputFile",
  "src/platform/processes/spawn-piped.ts": "inputPipe",
  "src/platform/processes/spawn-to-file.ts": "/dev/null",
  "src/platform/processes/spawn-detached.ts": "/dev/null",
  "src/platform/processes/run-attached.ts": "the person's terminal",
  "src/platform/clipboard.ts": "inputFile",
  "src/platform/open-browser.ts": "/dev/null",
  "src/platform/ripgrep.ts": "/dev/null",
  "src/platform/process-identity.ts": "socket: /bin/ps",
  "src/platform/stuck-watch.ts": "socket: /bin/ps",
  "src/platform/processes/run-limited.ts": "socket: /bin/ps",
  "src/platform/processes/process-table.ts": "/dev/null",
  "src/platform/processes/orphan-watch.ts": "socket: a script of Quoll's in /bin/sh",
  "src/services/sandbox/io/inner-relay.ts": "that of the bridge",
  "src/services/sandbox/io/helper-program.ts": "socket: programs of the sandbox",
  "src/services/guard/io/run-git.ts": "socket: git without hooks",
};
const STARTS =
  /from "(?:node:)?child_process"|require\("(?:node:)?child_process"\)|import\("execa"\)|from "execa"|Bun\.spawn/;
const SOCKET = /stdio: (?:"pipe"|\["pipe"|"overlapped"|\["overlapped")|stdin: "pipe"/;
const SHELL_WORDS = /\[\s*"-[a-z]*c"\s*,\s*(?:command|[a-z]+\.command)\b/;

describe("the stdin of programs", () => {
  test("is decided in files that a list names", () => {
    const starting = sourceFiles().filter((file) => STARTS.test(textOf(file)));
    expect(starting).toEqual(Object.keys(STARTERS).sort());
  });

  test("is a socket only for Quoll's own programs", () => {
    const withSocket = sourceFiles().filter((file) => SOCKET.test(textOf(file)));
    const told = Object.keys(STARTERS).filter((file) => STARTERS[file]?.startsWith("socket"));
    expect(withSocket.filter((file) => !told.includes(file))).toEqual([]);
  });

  test("of a command goes with words that keep its shell from reading start-up files", () => {
    expect(sourceFiles().filter((file) => SHELL_WORDS.test(textOf(file)))).toEqual([
      "src/platform/processes/shell-program.ts",
    ]);
  });
});
