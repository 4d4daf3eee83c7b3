import type { Answerer } from "../../contracts/session-config.ts";
import type { Environment } from "../../platform/env.ts";
import { temporaryName } from "../../platform/files/session-temporary.ts";
import type { PreviewFormat } from "../../services/tools/ask-user-question/spec.ts";
import type { ToolParts } from "./builtin-tools.ts";
import type { ToolsRequest } from "./tools-request.ts";

/** The variable by which the Agent SDK passes its option `toolConfig.askUserQuestion.previewFormat`. */
const PREVIEW_VARIABLE = "CLAUDE_CODE_QUESTION_PREVIEW_FORMAT";

/** A program gets previews only if it asks for them; a terminal shows text. */
function previewFormat(answerer: Answerer, env: Environment): PreviewFormat {
  if (answerer !== "program") return "text";
  const wanted = env[PREVIEW_VARIABLE];
  return wanted === "html" ? "html" : wanted === "markdown" ? "text" : "none";
}

/** The parts of an agent's tools that need no code of a tool. */
export function toolParts(request: ToolsRequest): ToolParts {
  const { agent, permissions, skills, agents, taskList, worktree } = request;
  const { session, source, environment, state } = agent;
  const { web, redactor } = session;
  const { askPage: ask, searchWeb } = request.web;
  return {
    files: fileParts(request),
    plan: {
      mode: {
        get: () => permissions.mode,
        set: (mode) => {
          permissions.mode = mode;
        },
        before: () => state.modeBeforePlan,
      },
      ask: session.questions.asker(source),
      artifacts: session.conversation.artifacts,
      grantRules: (texts) => permissions.grantRules(texts, "the approved plan"),
    },
    questions: {
      previews: previewFormat(session.config.answerer, environment.env),
      hookAnswer: (call, signal) => permissions.hookAnswer(call, signal),
    },
    web: {
      reads: async () => {
        const reader = await web.reader();
        return { reader, redactor, ask, isNamed: (host) => permissions.namesHost(host) };
      },
      searches: async () => ({ redactor, ...(await searchWeb()) }),
    },
    recall: () => session.recall.forModel(),
    skills,
    agents,
    taskList,
    worktree,
  };
}

function fileParts({ agent, permissions, refusesSecrets }: ToolsRequest): ToolParts["files"] {
  const { session, environment, sandbox } = agent;
  const { path } = session.conversation.artifacts;
  return {
    home: environment.own.home,
    isHidden: (file) => permissions.isHidden(file) || permissions.isHidden(temporaryName(file, path)),
    temporary: async () => {
      const isUnconfined = permissions.mode === "bypassPermissions" && environment.settings.sandbox.enabled !== true;
      const state = isUnconfined ? undefined : await sandbox.state();
      return state?.kind === undefined ? undefined : state.temporary;
    },
    documents: () => session.web.documents(),
    redactor: session.redactor,
    refusesSecrets,
  };
}
