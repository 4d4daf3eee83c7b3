/**
 * Mounts the REPL by hand, on a scripted engine: `bun tests/support/demo-repl.tsx [prompt]`.
 * The first word of a prompt picks a scene of repl-scenes.ts: fix, fail, ask, long, code, list, hang, evil, wide …
 */
import { clearCommand } from "../../src/commands/clear.ts";
import { costCommand } from "../../src/commands/cost.ts";
import { exitCommand } from "../../src/commands/exit.ts";
import { helpCommand } from "../../src/commands/help.ts";
import { modelCommand } from "../../src/commands/model.ts";
import { permissionsCommand } from "../../src/commands/permissions.ts";
import { resumeCommand } from "../../src/commands/resume.ts";
import type { InventoryEntry } from "../../src/contracts/inventory.ts";
import { startRepl } from "../../src/faces/repl/run-repl.tsx";
import { systemClock } from "../../src/platform/clock.ts";
import { playScene } from "./repl-scenes.ts";
import { scriptedEngine } from "./scripted-engine.ts";

const { engine } = scriptedEngine({ script: playScene });
const commands = [
  clearCommand(),
  costCommand(),
  exitCommand(),
  helpCommand(),
  modelCommand(),
  permissionsCommand(),
  resumeCommand(systemClock),
];
const entries: readonly InventoryEntry[] = commands.map(({ name, summary }) => ({
  kind: "command",
  name,
  summary,
  source: "builtin",
  level: "none",
}));
const offline = process.env["DEMO_OFFLINE"];
const initialPrompt = process.argv[2];

const handle = startRepl({
  engine,
  commands,
  context: {
    inventory: { list: (kind) => (kind === "tool" ? [] : entries), get: () => undefined, route: () => [] },
    permissions: { describe: () => [{ decision: "deny", rule: "Read(.env)", source: "built in" }] },
    models: { list: () => ["claude-sonnet-5", "claude-haiku-5"] },
    sessions: {
      list: async () => [
        { id: "7c1e0000-1", title: "fix the flaky checkout test", modifiedAt: Date.now() - 3_600_000, bytes: 1 },
        { id: "9a2b0000-2", title: "write the README", modifiedAt: Date.now() - 86_400_000, bytes: 1 },
      ],
    },
  },
  terminal: process,
  info: {
    version: "0.1.0",
    cwd: "~/src/shop",
    branch: () => "main*",
    notices: offline ? ["offline: no model is configured. Set ANTHROPIC_API_KEY, or ask `what can you do`."] : [],
  },
  history: { load: async () => ["older prompt"], add: async () => undefined },
  clock: systemClock,
  ...(initialPrompt !== undefined && { initialPrompt }),
});
process.once("SIGTERM", () => handle.stop(143));
const result = await handle.done;
process.stdout.write(
  `left ${JSON.stringify(result)} cpu ${Math.round(process.cpuUsage().user / 1000 + process.cpuUsage().system / 1000)} ms\n`,
);
process.exitCode = result.exitCode;
