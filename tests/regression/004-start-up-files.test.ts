import { expect, setDefaultTimeout } from "bun:test";
import { readFileSync } from "node:fs";
import { toolUse as call, reply } from "@quoll/model-twin/scenario";
import { eachOrDeep } from "../support/deep.ts";
import { quollPlace } from "../support/quoll-process.ts";

setDefaultTimeout(60_000);

/** A bash without SHLVL takes itself for a remote shell if its stdin is a socket, or if SSH_CLIENT is set. */
const SSH = { SSH_CLIENT: "192.0.2.1 50000 22" };
const FILES = { BASH_ENV: "$HOME/.bashrc", ENV: "$HOME/.bashrc" };
const FUNCTIONS = {
  "BASH_FUNC_cat%%": '() { touch "$HOME/read"; }',
  "BASH_FUNC_echo%%": '() { touch "$HOME/read"; }',
};
/** `npm test` has all of them at once. */
const SURROUNDINGS = [
  ["a service with a login by ssh, start-up files and exported functions", { ...SSH, ...FILES, ...FUNCTIONS }],
  ["a service", {}],
  ["a login by ssh", SSH],
  ["variables that name start-up files", { SHLVL: "0", ...FILES }],
  ["exported functions", FUNCTIONS],
] as const;
const ANSWER = JSON.stringify({ hookSpecificOutput: { permissionDecision: "deny", permissionDecisionReason: "no" } });
/** The kind, the mode and the text of stdin, which is opened by its name. */
const LOOK = (name: string) => `{ stat -L -c '%F %a' /dev/stdin; cat /dev/stdin; } > "$HOME/${name}.txt"`;
const SERVER = `IFS= read -r line; printf '%s\\n' "$line" > "$HOME/server.txt"; stat -L -c '%F %a' /dev/stdin > "$HOME/server.kind"`;

eachOrDeep(
  "no command reads a start-up file under %s, and none has a socket as its stdin",
  1,
  SURROUNDINGS,
  async (_, env) => {
    const settings = {
      sandbox: { enabled: false },
      apiKeyHelper: `${LOOK("key")}; echo sk-ant-a-key-of-the-helper`,
      permissions: { allow: ["Bash(bash:*)", "Skill"] },
      hooks: {
        SessionStart: [{ hooks: [{ type: "command", command: "bash -c 'echo an answer'" }] }],
        PreToolUse: [{ matcher: "Read", hooks: [{ type: "command", command: `${LOOK("hook")}; echo '${ANSWER}'` }] }],
        PostToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "bash", args: ["-c", LOOK("args")] }] }],
      },
    };
    await using here = await quollPlace({
      settings,
      scenario: [
        reply([call("Read", { file_path: "$(touch pwned).txt" })]),
        reply([call("Bash", { command: "bash -c 'echo of the tool'" })]),
        reply("Done."),
      ],
    });
    await Bun.write(here.home.path(".bashrc"), 'touch "$HOME/read"; echo noise; exec sh\n');
    await Bun.write(here.project.path("CLAUDE.md"), "Be short.\n");
    const servers = { mcpServers: { one: { command: "bash", args: ["-c", SERVER] } } };
    const key = { ANTHROPIC_BASE_URL: here.twin.url };
    const { code, err } = await here.run(["-p", "go", "--mcp-config", JSON.stringify(servers)], {
      env: { ...key, ...env },
      model: false,
    });
    expect([code, err]).toEqual([0, expect.not.stringContaining("The hook")]);
    const made = (name: string) => readFileSync(here.home.path(name), "utf8");
    expect(await Bun.file(here.home.path("read")).exists()).toBe(false);
    expect(await Bun.file(here.project.path("pwned")).exists()).toBe(false);
    expect(made("hook.txt")).toMatch(/^regular file 600\n\{.*\$\(touch pwned\)\.txt.*\}\n$/);
    expect(made("args.txt")).toMatch(/^regular file 600\n\{/);
    expect(made("key.txt")).toMatch(/^character special file/);
    expect(made("server.txt")).toContain('"method":"initialize"');
    expect(made("server.kind")).toBe("fifo 600\n");
    const results = JSON.stringify(here.sent().at(-1)?.messages);
    expect(results).toContain("Refused by a hook");
    expect(results).toContain("of the tool");
    expect(results).not.toContain("noise");
  },
);
