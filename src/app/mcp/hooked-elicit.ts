import type { HookOutcome } from "../../contracts/hook.ts";
import type { McpElicitation, McpElicitationReply } from "../../contracts/mcp.ts";
import type { QuestionDesk } from "../../contracts/question.ts";
import { openBrowser } from "../../platform/open-browser.ts";
import type { SessionHooks } from "../hooks/session-hooks.ts";
import type { ProjectEnvironment } from "../session/project-environment.ts";
import type { SessionParts } from "../session/session-parts.ts";
import type { McpPorts } from "./wire-mcp.ts";

type Elicit = (request: McpElicitation, signal: AbortSignal) => Promise<McpElicitationReply>;

/**
 * Asks hooks before a person is asked for a server, and about the answer. Without hooks for these events, the function
 * is returned unchanged, because its absence tells a server that nobody can answer.
 */
function hookedElicit(elicit: Elicit | undefined, hooks: Pick<SessionHooks, "wants" | "fire">): Elicit | undefined {
  if (!hooks.wants("Elicitation") && !hooks.wants("ElicitationResult")) return elicit;
  return async (request, signal) => {
    const { server, message, mode, url, requestedSchema: schema } = request;
    const about = { server, message, mode, ...(url !== undefined && { url }), ...(schema && { schema }) };
    const before = await hooks.fire({ event: "Elicitation", ...about }, signal);
    const reply = replyOf(before) ?? (await elicit?.(request, signal)) ?? { action: "decline" };
    const { action } = reply;
    const content = "content" in reply && reply.content ? { content: reply.content } : {};
    const after = await hooks.fire({ event: "ElicitationResult", server, mode, action, ...content }, signal);
    return replyOf(after) ?? reply;
  };
}

function replyOf({ elicitation, block, stop }: HookOutcome): McpElicitationReply | undefined {
  if (block || stop) return { action: "decline" };
  if (!elicitation) return undefined;
  const { action, content } = elicitation;
  return action === "accept" ? { action, ...(content && { content }) } : { action };
}

/** The ports of servers, where a program or the person answers their questions, and hooks may answer first. */
export function hookedPorts(
  ports: McpPorts | undefined,
  { questions, hooks }: Pick<SessionParts, "questions" | "hooks">,
  environment: Browsing,
): McpPorts {
  const { link, signal } = ports ?? {};
  const elicit = hookedElicit(ports?.elicit ?? personElicit(questions, environment), hooks);
  return { ...(link && { link }), ...(signal && { signal }), ...(elicit && { elicit }) };
}

/** The machine on which the person opens pages. */
type Browsing = Pick<ProjectEnvironment, "machine" | "env">;

/**
 * Asks the person at the terminal on behalf of a server; undefined without a terminal. The code is loaded at the first
 * question.
 */
function personElicit(questions: Pick<QuestionDesk, "personAsker">, environment: Browsing) {
  const asker = questions.personAsker();
  if (!asker.canAsk) return undefined;
  const openPage = (url: string) => openBrowser(url, { os: environment.machine.os, env: environment.env });
  return async (request: McpElicitation, signal: AbortSignal): Promise<McpElicitationReply> => {
    const { elicitPerson } = await import("../../services/mcp/elicitation/elicit-person.ts");
    return elicitPerson({ asker, openPage })(request, signal);
  };
}
