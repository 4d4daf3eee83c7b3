import { revealedLine } from "@quoll/terminal-text/one-line";
import { type Approvable, approvableLabel } from "../../contracts/approval.ts";
import type { NewQuestion, QuestionDesk } from "../../contracts/question.ts";
import type { ProjectEnvironment } from "../session/project-environment.ts";
import type { ApproveSkill } from "./skill-permissions.ts";

const MAX_NAME_COLUMNS = 100;

type ApproverParts = {
  readonly questions: Pick<QuestionDesk, "personAsker">;
  readonly environment: Pick<ProjectEnvironment, "approvals" | "unapproved">;
  readonly notices: { notify(line: string): void };
};

/**
 * Asks about skills, agents and changed hooks of the project. The same content is asked about only once in a session. If no person is
 * at the keyboard, one line names the skill, once.
 */
export function skillApprover({ questions, environment, notices }: ApproverParts): ApproveSkill {
  const asked = new Map<string, string>(environment.unapproved.map((item) => [keyOf(item), item.content]));
  const told = new Set<string>();
  const asker = questions.personAsker();
  return async (item, signal, approvals = environment.approvals) => {
    const key = keyOf(item);
    if (asked.get(key) === item.content) return;
    asked.set(key, item.content);
    if (!asker.canAsk) {
      const line = leftOutLine(item);
      // The files of a skill may change between its uses.
      if (!told.has(line)) notices.notify(line);
      told.add(line);
      return;
    }
    const { decision } = await asker.ask(
      questionOf(item, approvals.state(item) === "changed", approvals !== environment.approvals),
      signal,
    );
    if (signal.aborted) asked.delete(key);
    if (decision !== "once") return;
    const problem = await approvals.approve([item], "always");
    if (problem !== undefined) notices.notify(problem);
  };
}

function keyOf({ kind, name }: Approvable): string {
  return `${kind} ${name}`;
}

function questionOf(item: Approvable, hasChanged: boolean, isOfPlugin: boolean): NewQuestion {
  const state = hasChanged ? "has changed since you approved it" : "is new";
  return {
    title: item.kind === "hook" ? `Run ${labelOf(item)} with its changed files?` : `Use all parts of ${labelOf(item)}?`,
    body: {
      kind: "content",
      preview: { kind: "text", text: item.lines.join("\n") },
      reason: reasonOf(item, state, isOfPlugin),
      ...(item.kind === "hook" && { refusal: "No, refuse what it guards" }),
      isRisky: true,
    },
  };
}

function reasonOf({ kind }: Approvable, state: string, isOfPlugin: boolean): string {
  if (kind === "plugin") return `The project asks for it, and it ${state} here.`;
  if (kind === "hook") return `A file that it names ${state}. Until you approve it, what it guards is refused.`;
  return `This file of the ${isOfPlugin ? "plugin" : "project"} ${state}.`;
}

function leftOutLine(item: Approvable): string {
  if (item.kind === "hook")
    return `${labelOf(item)} names a file that has changed since you approved it: it did not run. Start quoll without -p to see it, or add --trust.`;
  const effect =
    item.kind === "agent" ? "it was not started" : "its commands did not run, and its rules have no effect";
  return `${labelOf(item)} is new or has changed, and you have not approved it: ${effect}. Start quoll without -p to see it.`;
}

function labelOf(item: Approvable): string {
  return revealedLine(approvableLabel(item), MAX_NAME_COLUMNS);
}
