import type { Command } from "../contracts/command.ts";
import { addDirCommand } from "./add-dir.ts";
import { agentsCommand } from "./agents.ts";
import { batchCommand } from "./batch.ts";
import { btwCommand, recapCommand } from "./btw.ts";
import { bugCommand } from "./bug.ts";
import { clearCommand } from "./clear.ts";
import { compactCommand } from "./compact.ts";
import { configCommand } from "./config.ts";
import { contextCommand } from "./context.ts";
import { copyCommand } from "./copy.ts";
import { costCommand } from "./cost.ts";
import { diffCommand } from "./diff.ts";
import { doctorCommand } from "./doctor.ts";
import { dreamCommand } from "./dream.ts";
import { editorCommand } from "./editor.ts";
import { effortCommand } from "./effort.ts";
import { exitCommand } from "./exit.ts";
import { exportCommand } from "./export.ts";
import { extensionsCommand } from "./extensions.ts";
import { forgetCommand } from "./forget.ts";
import { helpCommand } from "./help.ts";
import { hooksCommand } from "./hooks.ts";
import { initCommand } from "./init.ts";
import { keysCommand } from "./keys.ts";
import { loginCommand } from "./login.ts";
import { logoutCommand } from "./logout.ts";
import { mcpCommand } from "./mcp.ts";
import { memoryCommand } from "./memory.ts";
import { modelCommand } from "./model.ts";
import { outputStyleCommand } from "./output-style.ts";
import { permissionsCommand } from "./permissions.ts";
import { planCommand } from "./plan.ts";
import { pluginsCommand } from "./plugins.ts";
import { portsCommand } from "./ports.ts";
import { queueCommand } from "./queue.ts";
import { rememberCommand } from "./remember.ts";
import { renameCommand } from "./rename.ts";
import { resumeCommand } from "./resume.ts";
import { redoCommand, rewindCommand } from "./rewind.ts";
import { sandboxCommand } from "./sandbox.ts";
import { searchCommand } from "./search.ts";
import { sessionsCommand } from "./sessions.ts";
import { skillsCommand } from "./skills.ts";
import { statusCommand } from "./status.ts";
import { statuslineCommand } from "./statusline.ts";
import { tasksCommand } from "./tasks.ts";
import { terminalSetupCommand } from "./terminal-setup.ts";
import { themeCommand } from "./theme.ts";
import { thinkingCommand } from "./thinking.ts";
import { todosCommand } from "./todos.ts";
import { usageCommand } from "./usage.ts";
import { vimCommand } from "./vim.ts";

/**
 * The built-in commands, in the order of every list. The first choice is selected when a list opens, so it must change
 * nothing.
 */
export const BUILTIN_COMMANDS: readonly Command[] = [
  helpCommand,
  addDirCommand,
  batchCommand,
  btwCommand,
  bugCommand,
  clearCommand,
  compactCommand,
  configCommand,
  contextCommand,
  copyCommand,
  costCommand,
  diffCommand,
  doctorCommand,
  dreamCommand,
  editorCommand,
  effortCommand,
  exitCommand,
  exportCommand,
  extensionsCommand,
  forgetCommand,
  initCommand,
  keysCommand,
  loginCommand,
  logoutCommand,
  mcpCommand,
  memoryCommand,
  modelCommand,
  outputStyleCommand,
  permissionsCommand,
  planCommand,
  pluginsCommand,
  portsCommand,
  queueCommand,
  recapCommand,
  redoCommand,
  rememberCommand,
  renameCommand,
  resumeCommand,
  rewindCommand,
  sandboxCommand,
  searchCommand,
  sessionsCommand,
  skillsCommand,
  statusCommand,
  hooksCommand,
  agentsCommand,
  tasksCommand,
  terminalSetupCommand,
  themeCommand,
  statuslineCommand,
  thinkingCommand,
  todosCommand,
  usageCommand,
  vimCommand,
];
