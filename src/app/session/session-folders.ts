import type { QuestionDesk } from "../../contracts/question.ts";
import { MainFolders } from "../agent/main-folders.ts";
import type { SessionAgents } from "../agent/session-agents.ts";
import type { Closers } from "../closers.ts";
import type { PersonNotices } from "./notices/person-notices.ts";
import type { SessionConversation } from "./open-conversation.ts";
import type { ProjectEnvironment } from "./project-environment.ts";
import { createSandbox } from "./wire-safety.ts";

type Parts = {
  readonly closers: Closers;
  readonly place: ProjectEnvironment;
  readonly conversation: Pick<SessionConversation, "artifacts">;
  readonly notices: Pick<PersonNotices, "tell">;
  readonly questions: Pick<QuestionDesk, "asker">;
  readonly agents: SessionAgents;
};

/** The folders of the main conversation, with the sandbox of the starting folders. */
export function mainFolders({ closers, place, conversation, notices, questions, agents }: Parts): MainFolders {
  const sandbox = createSandbox(place, conversation.artifacts, {
    onNotice: notices.tell,
    asker: questions.asker(),
    rules: () => agents.main?.permissions.pathRules() ?? [],
  });
  closers.defer(() => sandbox.close());
  return new MainFolders({ place, workspace: place.workspace, sandbox });
}
