import type { Tool, ToolSpec } from "../../contracts/tool.ts";
import type { AgentDeps } from "../../services/tools/agent/agent.ts";
import { agentSpec } from "../../services/tools/agent/spec.ts";
import type { AskUserQuestionDeps } from "../../services/tools/ask-user-question/ask-user-question.ts";
import { askUserQuestionSpec, specForPreviews } from "../../services/tools/ask-user-question/spec.ts";
import type { BashDeps } from "../../services/tools/bash/bash-call.ts";
import type { ServerPorts } from "../../services/tools/bash/server-ports.ts";
import { bashSpec } from "../../services/tools/bash/spec.ts";
import { editSpec } from "../../services/tools/edit/spec.ts";
import { enterPlanModeSpec } from "../../services/tools/enter-plan-mode/spec.ts";
import { enterWorktreeSpec } from "../../services/tools/enter-worktree/spec.ts";
import type { WorktreeControl } from "../../services/tools/enter-worktree/worktree-control.ts";
import type { ExitPlanModeDeps } from "../../services/tools/exit-plan-mode/exit-plan-mode.ts";
import { exitPlanModeSpec } from "../../services/tools/exit-plan-mode/spec.ts";
import { exitWorktreeSpec } from "../../services/tools/exit-worktree/spec.ts";
import type { GlobDeps } from "../../services/tools/glob/glob.ts";
import { globSpec } from "../../services/tools/glob/spec.ts";
import { grepSpec } from "../../services/tools/grep/spec.ts";
import { notebookEditSpec } from "../../services/tools/notebook-edit/spec.ts";
import type { ReadDeps } from "../../services/tools/read/read.ts";
import { readSpec } from "../../services/tools/read/spec.ts";
import type { ReadTracker } from "../../services/tools/read-tracker.ts";
import type { RecallDeps } from "../../services/tools/recall/recall.ts";
import { recallSpec } from "../../services/tools/recall/spec.ts";
import type { RedactorDep } from "../../services/tools/restore-secrets.ts";
import { sendMessageSpec } from "../../services/tools/send-message/spec.ts";
import type { SkillDeps } from "../../services/tools/skill/skill.ts";
import { skillSpec } from "../../services/tools/skill/spec.ts";
import { taskCreateSpec } from "../../services/tools/task-create/spec.ts";
import { taskGetSpec } from "../../services/tools/task-get/spec.ts";
import { taskListSpec } from "../../services/tools/task-list/spec.ts";
import type { TaskListDeps } from "../../services/tools/task-list/task-text.ts";
import { taskOutputSpec } from "../../services/tools/task-output/spec.ts";
import { taskStopSpec } from "../../services/tools/task-stop/spec.ts";
import { taskUpdateSpec } from "../../services/tools/task-update/spec.ts";
import { todoWriteSpec } from "../../services/tools/todo-write/spec.ts";
import { toolCallSpec } from "../../services/tools/tool-call/spec.ts";
import { toolSearchSpec } from "../../services/tools/tool-search/spec.ts";
import { webFetchSpec } from "../../services/tools/web-fetch/spec.ts";
import type { WebFetchDeps } from "../../services/tools/web-fetch/web-fetch.ts";
import { webSearchSpec } from "../../services/tools/web-search/spec.ts";
import type { WebSearchDeps } from "../../services/tools/web-search/web-search.ts";
import { writeSpec } from "../../services/tools/write/spec.ts";

/** The parts that tools share; each is made when the first tool asks for it. */
export type SharedToolParts = {
  /** Records the files that the model has seen. */
  tracker(): Promise<ReadTracker>;
  search(): Promise<GlobDeps>;
  shell(): Promise<BashDeps>;
  ports(): Promise<ServerPorts>;
};

/** The parts from which an agent's tools are made. A part behind a promise is made when the first tool asks for it. */
export type ToolParts = {
  readonly files: Omit<ReadDeps & RedactorDep, "tracker">;
  readonly plan: ExitPlanModeDeps;
  /** The questions of the model. */
  readonly questions: Required<AskUserQuestionDeps>;
  readonly web: { reads(): Promise<WebFetchDeps>; searches(): Promise<WebSearchDeps> };
  recall(): Promise<RecallDeps>;
  readonly skills: SkillDeps;
  readonly agents: AgentDeps;
  readonly taskList: TaskListDeps;
  /** Undefined for an agent. */
  readonly worktree: WorktreeControl | undefined;
};

/** A built-in tool of which only the declaration is loaded. */
export type BuiltinTool = {
  readonly spec: ToolSpec;
  /** The declaration in this session, if it depends on the session. */
  specFor?(parts: Pick<ToolParts, "questions">): ToolSpec;
  load(parts: ToolParts, shared: SharedToolParts): Promise<Tool>;
};

function tool(spec: ToolSpec, load: BuiltinTool["load"]): BuiltinTool {
  return { spec, load };
}

/** The parts of a tool that reads or changes files, with the record of the files that the model has seen. */
async function fileParts({ files }: ToolParts, { tracker }: SharedToolParts) {
  const { home, isHidden, temporary, documents, redactor, refusesSecrets } = files;
  return { home, isHidden, temporary, documents, redactor, refusesSecrets, tracker: await tracker() };
}

/**
 * The tools in the order in which the model sees them: the order never changes, or the prompt cache is lost. New
 * tools go to the end.
 */
export const BUILTIN_TOOLS: readonly BuiltinTool[] = [
  tool(readSpec, async (parts, shared) =>
    (await import("../../services/tools/read/read.ts")).readTool(await fileParts(parts, shared)),
  ),
  tool(editSpec, async (parts, shared) =>
    (await import("../../services/tools/edit/edit.ts")).editTool(await fileParts(parts, shared)),
  ),
  tool(writeSpec, async (parts, shared) =>
    (await import("../../services/tools/write/write.ts")).writeTool(await fileParts(parts, shared)),
  ),
  tool(bashSpec, async (_, { shell }) => (await import("../../services/tools/bash/bash.ts")).bashTool(await shell())),
  tool(globSpec, async (_, { search }) => (await import("../../services/tools/glob/glob.ts")).globTool(await search())),
  tool(grepSpec, async (_, { search, tracker }) => {
    const { home, isHidden, temporary, ripgrep } = await search();
    const { grepTool } = await import("../../services/tools/grep/grep.ts");
    return grepTool({ home, isHidden, temporary, ripgrep, tracker: await tracker() });
  }),
  tool(todoWriteSpec, async () => (await import("../../services/tools/todo-write/todo-write.ts")).todoWriteTool()),
  tool(taskOutputSpec, async (_, { ports }) =>
    (await import("../../services/tools/task-output/task-output.ts")).taskOutputTool(await ports()),
  ),
  tool(taskStopSpec, async () => (await import("../../services/tools/task-stop/task-stop.ts")).taskStopTool()),
  tool(enterPlanModeSpec, async ({ plan }) =>
    (await import("../../services/tools/enter-plan-mode/enter-plan-mode.ts")).enterPlanModeTool(plan),
  ),
  tool(exitPlanModeSpec, async ({ plan }) =>
    (await import("../../services/tools/exit-plan-mode/exit-plan-mode.ts")).exitPlanModeTool(plan),
  ),
  tool(toolSearchSpec, async () => (await import("../../services/tools/tool-search/tool-search.ts")).toolSearchTool()),
  tool(toolCallSpec, async () => (await import("../../services/tools/tool-call/tool-call.ts")).toolCallTool()),
  tool(recallSpec, async ({ recall }) =>
    (await import("../../services/tools/recall/recall.ts")).recallTool(await recall()),
  ),
  tool(agentSpec, async ({ agents }) => (await import("../../services/tools/agent/agent.ts")).agentTool(agents)),
  tool(webFetchSpec, async ({ web }) =>
    (await import("../../services/tools/web-fetch/web-fetch.ts")).webFetchTool(await web.reads()),
  ),
  {
    ...tool(askUserQuestionSpec, async ({ questions }) =>
      (await import("../../services/tools/ask-user-question/ask-user-question.ts")).askUserQuestionTool(questions),
    ),
    specFor: ({ questions }) => specForPreviews(questions.previews),
  },
  tool(notebookEditSpec, async (parts, shared) =>
    (await import("../../services/tools/notebook-edit/notebook-edit.ts")).notebookEditTool(
      await fileParts(parts, shared),
    ),
  ),
  tool(webSearchSpec, async ({ web }) =>
    (await import("../../services/tools/web-search/web-search.ts")).webSearchTool(await web.searches()),
  ),
  // The tools from this point on join later: Skill with the first skill, the worktree tools when the person mentions a
  // worktree, the others with a task list or an agent that works.
  tool(skillSpec, async ({ skills }) => (await import("../../services/tools/skill/skill.ts")).skillTool(skills)),
  tool(sendMessageSpec, async ({ agents }) =>
    (await import("../../services/tools/send-message/send-message.ts")).sendMessageTool(agents),
  ),
  tool(taskCreateSpec, async ({ taskList }) =>
    (await import("../../services/tools/task-create/task-create.ts")).taskCreateTool(taskList),
  ),
  tool(taskGetSpec, async ({ taskList }) =>
    (await import("../../services/tools/task-get/task-get.ts")).taskGetTool(taskList),
  ),
  tool(taskListSpec, async ({ taskList }) =>
    (await import("../../services/tools/task-list/task-list.ts")).taskListTool(taskList),
  ),
  tool(taskUpdateSpec, async ({ taskList }) =>
    (await import("../../services/tools/task-update/task-update.ts")).taskUpdateTool(taskList),
  ),
  tool(enterWorktreeSpec, async ({ worktree }) =>
    (await import("../../services/tools/enter-worktree/enter-worktree.ts")).enterWorktreeTool(worktree),
  ),
  tool(exitWorktreeSpec, async ({ worktree }) =>
    (await import("../../services/tools/exit-worktree/exit-worktree.ts")).exitWorktreeTool(worktree),
  ),
];
