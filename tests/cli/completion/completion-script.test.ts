import { describe, expect, test } from "bun:test";
import { completionScript } from "../../../src/cli/completion/completion-script.ts";
import { createProgram } from "../../../src/cli/program.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;
const scriptFor = (shell: (typeof SHELLS)[number]) =>
  completionScript(
    createProgram("1", () => undefined),
    shell,
  );

/** What bash offers for a command line whose last word is being typed. */
function offered(...words: readonly string[]): readonly string[] {
  const typed = words.map((word) => `'${word}'`).join(" ");
  const source = `${scriptFor("bash")}
COMP_WORDS=(${typed}); COMP_CWORD=${words.length - 1}; _quoll; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr, exitCode } = Bun.spawnSync(["bash", "--norc", "-c", source]);
  expect({ err: stderr.toString(), exitCode }).toEqual({ err: "", exitCode: 0 });
  return stdout.toString().split("\n").filter(Boolean);
}

describe("the completion of bash", () => {
  test.each([
    [["quoll", "conf"], ["config"]],
    [
      ["quoll", "config", "s"],
      ["set", "schema"],
    ],
    [
      ["quoll", "--permission-mode", "d"],
      ["default", "dontAsk"],
    ],
    // Bash splits --option=value at the sign.
    [["quoll", "-p", "--output-format", "=", "stream"], ["stream-json"]],
    [
      ["quoll", "config", "set", "permissions.al"],
      ["permissions.allow", "permissions.allowManagedPermissionRulesOnly"],
    ],
    [["quoll", "config", "set", "--scope", "o"], ["own"]],
    [
      ["quoll", "config", "set", "permissions.defaultMode", "d"],
      ["default", "dontAsk"],
    ],
    [
      ["quoll", "config", "set", "destructiveGuard", ""],
      ["on", "off"],
    ],
    [["quoll", "sandbox", "run", "--perm"], ["--permission-mode"]],
    [
      ["quoll", "completion", ""],
      ["bash", "zsh", "fish"],
    ],
    // Bash then completes file names.
    [["quoll", "--settings", ""], []],
  ])("of %j offers %j", (words, wanted) => {
    expect(offered(...words)).toEqual(wanted);
  });
});

test("bash asks Quoll for the names of MCP servers", () => {
  const quoll = "quoll() { [[ $* == 'mcp list --names' ]] && printf 'docs\\nshop\\n'; }";
  for (const command of ["get", "remove", "login", "logout"]) {
    const source = `${quoll}\n${scriptFor("bash")}
COMP_WORDS=(quoll mcp ${command} s); COMP_CWORD=3; _quoll; echo "\${COMPREPLY[@]}"`;
    expect(Bun.spawnSync(["bash", "--norc", "-c", source]).stdout.toString()).toBe("shop\n");
  }
});

test("bash asks Quoll for the names of plugins, and completes file names where a path is typed", () => {
  const quoll = `quoll() { case "$*" in
    'plugin list --names') echo shop@corner ;;
    'plugin marketplace list --names') printf 'sheet@corner\\nshop@corner\\n' ;;
  esac; }`;
  const offers = (command: string, typed: string) =>
    Bun.spawnSync([
      ...["bash", "--norc", "-c"],
      `${quoll}\n${scriptFor("bash")}\nCOMP_WORDS=(quoll plugin ${command} '${typed}'); COMP_CWORD=3; _quoll; echo "\${COMPREPLY[@]}"`,
    ]).stdout.toString();
  expect(offers("install", "sh")).toBe("sheet@corner shop@corner\n");
  for (const command of ["remove", "update", "enable", "disable"]) expect(offers(command, "")).toBe("shop@corner\n");
  expect(offers("install", "./")).toBe("\n");
});

describe.each([...SHELLS])("the script for %s", (shell) => {
  test("names every command and option of the program", () => {
    const script = scriptFor(shell);
    const program = createProgram("1", () => undefined);
    for (const command of program.commands) expect(script).toContain(command.name());
    for (const { long } of program.options) expect(script).toContain(String(long).slice(2));
  });

  test.skipIf(Bun.which(shell) === null)("is valid", () => {
    const { stderr, exitCode } = Bun.spawnSync([shell, "-n"], { stdin: Buffer.from(scriptFor(shell)) });
    expect({ err: stderr.toString(), exitCode }).toEqual({ err: "", exitCode: 0 });
  });
});
