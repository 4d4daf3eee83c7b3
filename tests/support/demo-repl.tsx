/**
 * Mounts the REPL by hand, on a scripted engine: `bun tests/support/demo-repl.tsx [prompt]`.
 * The first word of a prompt picks a scene of repl-scenes.ts: fix, fail, ask, long, code, list, hang, evil, wide …
 * DEMO_FULL=1 draws on the second screen. DEMO_LINKS=1 makes addresses links. DEMO_TRUST=1 asks about the folder first; DEMO_MODE sets the mode; $EDITOR edits the plan of `plan /some/file`.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { clearCommand } from "../../src/commands/clear.ts";
import { costCommand } from "../../src/commands/cost.ts";
import { exitCommand } from "../../src/commands/exit.ts";
import { helpCommand } from "../../src/commands/help.ts";
import { modelCommand } from "../../src/commands/model.ts";
import { permissionsCommand } from "../../src/commands/permissions.ts";
import { resumeCommand } from "../../src/commands/resume.ts";
import { UserFacingError } from "../../src/contracts/errors.ts";
import type { PermissionMode } from "../../src/contracts/permission-mode.ts";
import { askTrust } from "../../src/faces/repl/ask-trust.ts";
import { startRepl } from "../../src/faces/repl/run-repl.ts";
import { paintFirst } from "../../src/faces/repl/terminal/first-paint.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { colorLevel } from "../../src/platform/terminal-facts.ts";
import { commandRegistry, toolRegistry } from "../../src/services/inventory/create-registry.ts";
import { createInventory } from "../../src/services/inventory/inventory.ts";
import { everyKindCommand } from "./every-kind-command.ts";
import { playScene } from "./repl-scenes.ts";
import { scriptedEngine } from "./scripted-engine.ts";

const mode = process.env["DEMO_MODE"] as PermissionMode | undefined;
const { engine } = scriptedEngine({
  script: playScene,
  ...(mode && { state: { mode } }),
  unusable: { auto: "Mode auto needs a model that can be reached." },
});
const commands = commandRegistry([
  clearCommand,
  costCommand,
  exitCommand,
  helpCommand,
  modelCommand,
  permissionsCommand,
  everyKindCommand,
  resumeCommand,
]);
const initialPrompt = process.argv[2];

const isPainted = process.env["DEMO_TRUST"] || process.env["DEMO_LEAVE"];
const firstPaint = isPainted
  ? paintFirst(process, { version: "0.1.0", cwd: "~/src/shop" }, () => process.exit(130))
  : undefined;
if (firstPaint && process.env["DEMO_TRUST"]) {
  const reasons = [
    "allows Bash(npm test *) without asking (.quoll/settings.json:4)",
    "sets the variable NODE_OPTIONS for every command (.quoll/settings.json:9)",
    ...Array.from(
      { length: Number(process.env["DEMO_TRUST"]) },
      (_, at) => `runs the hook 漢字-${at}.sh (.quoll/hooks:${at})`,
    ),
  ];
  const request = { root: "/home/robin/src/shop", reasons };
  const { stdin, stdout, stderr } = process;
  const terminal = { stdin, stdout, stderr, colorLevel: colorLevel(stdout, process.env) };
  const answer = await askTrust({ ...request, items: [] }, { terminal, clock: systemClock, firstPaint });
  if (answer === "exit") {
    firstPaint.dispose();
    process.stdout.write("left before the start\n");
    process.exit(0);
  }
  process.env["DEMO_OFFLINE"] = `trust: ${answer}`;
}

/** The functions that the composition root takes from the platform. */
async function editFile(file: string): Promise<string> {
  const editor = process.env["VISUAL"] || process.env["EDITOR"];
  if (!editor) throw new UserFacingError("There is no editor: set VISUAL or EDITOR.");
  await writeFile(file, "The plan as it was.\n", { flag: "a" });
  const [code] = await once(spawn("sh", ["-c", `exec ${editor} "$1"`, "sh", file], { stdio: "inherit" }), "exit");
  if (code !== 0)
    throw new UserFacingError(`The editor (${editor}) ended with exit code ${code}: the plan is as it was.`);
  return readFile(file, "utf8");
}

const { DEMO_SANDBOX: sandbox } = process.env;
const handle = startRepl({
  session: {
    surroundings: {
      status: () => ({
        cwd: "/src/shop",
        shownCwd: "~/src/shop",
        texts: [],
        ownLines: [],
        ...(sandbox && { sandbox }),
      }),
      look: () => undefined,
      findFiles: () => undefined,
      watch: () => () => undefined,
    },
    engine,
    commands,
    context: {
      inventory: createInventory({ commands, tools: toolRegistry([]) }),
      permissions: {
        describe: () => [{ decision: "deny", rule: "Read(.env)", source: "built in" }],
        consent: () => ({ isGiven: false, line: "Confined commands are asked about." }),
        revokeConsent: async () => [],
      },
      models: { list: () => ["claude-sonnet-5", "claude-haiku-5"] },
      sessions: {
        list: async () => [
          {
            id: "7c1e0000-1",
            title: "fix the flaky checkout test",
            modifiedAt: Date.now() - 3_600_000,
            bytes: 1,
            prompts: 3,
            costUsd: 0.1,
          },
          {
            id: "9a2b0000-2",
            title: "write the README",
            modifiedAt: Date.now() - 86_400_000,
            bytes: 1,
            prompts: 1,
            costUsd: 0,
          },
        ],
      },
    },
  },
  terminal: {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    lookUpSize: () => void process.emit("SIGWINCH", "SIGWINCH"),
    colorLevel: colorLevel(process.stdout, process.env),
    ...(process.env["TERM"] === "dumb" && { isPlain: true, hasStyles: false }),
    isFull: process.env["DEMO_FULL"] === "1",
    hasLinks: process.env["DEMO_LINKS"] === "1",
  },
  info: {
    version: "0.1.0",
    cwd: "~/src/shop",
    branch: () => "main*",
    notices: process.env["DEMO_OFFLINE"]
      ? [
          `offline: no model is configured. Set ANTHROPIC_API_KEY, or ask \`what can you do\`. ${process.env["DEMO_OFFLINE"]}`,
        ]
      : [],
  },
  history: { load: async () => [{ text: "older prompt" }], add: async () => undefined },
  clock: systemClock,
  editFile,
  ...(firstPaint && { firstPaint, initialInput: firstPaint.takeKeys() }),
  ...(initialPrompt !== undefined && { initialPrompt }),
});
// Before Ink's own listener is called, which ends the process if it finds itself alone: so this one stays.
process.on("SIGTERM", () => handle.stop(143));
process.on("SIGINT", () => handle.stop(130));
if (process.env["DEMO_LEAVE"]) handle.stop(3);
const result = await handle.done;
process.stdout.write(
  `left ${JSON.stringify(result)} cpu ${Math.round(process.cpuUsage().user / 1000 + process.cpuUsage().system / 1000)} ms\n`,
);
process.exitCode = result.exitCode;
