import { MainFolders } from "../agent/main-folders.ts";
import type { Closers } from "../closers.ts";
import type { SessionGuards } from "./session-guards.ts";
import type { SessionModel } from "./session-model.ts";
import { createSandbox } from "./wire-safety.ts";

/** The folders of the main conversation, with the sandbox of the starting folders. */
export function mainFolders(
  { environment, conversation }: SessionModel,
  { notices, questions, agents }: SessionGuards,
  closers: Closers,
): MainFolders {
  const sandbox = createSandbox(environment, conversation.artifacts, {
    onNotice: notices.notify,
    asker: questions.asker(),
    rules: () => agents.main?.permissions.pathRules() ?? [],
  });
  closers.defer(() => sandbox.close());
  return new MainFolders({ environment, workspace: environment.workspace, sandbox });
}
