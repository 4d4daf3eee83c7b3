import { runOutsideCall } from "../../app/session/actions/run-outside-call.ts";
import type { Session } from "../../app/session/session.ts";
import { withoutAdvice } from "../../contracts/advice.ts";
import { type JsonObject, textOf } from "../../contracts/message.ts";
import { outsideCallId } from "../../contracts/served-session.ts";
import { wireContent } from "../../contracts/wire-content.ts";
import type { WireLine } from "../../faces/headless/wire-format.ts";

type ServerCall = { readonly tool: string; readonly input: JsonObject; readonly signal: AbortSignal | undefined };

/**
 * Calls a tool of an MCP server for the program that drives the session. Rules, questions and hooks hold as for the model's
 * calls; the conversation does not contain the call.
 * @throws {Error} if there is no such tool, or the call was not allowed to run.
 */
export async function callServerTool(session: Session, { tool, input, signal }: ServerCall): Promise<WireLine> {
  const known = session.servers.client?.tools().some(({ spec }) => spec.name === tool) ?? false;
  if (!known)
    throw new Error(
      `there is no MCP tool ${JSON.stringify(tool)}: its server is not connected, or it has no such tool`,
    );
  const call = { id: outsideCallId(session.app.ids.next()), name: tool, input };
  const scope = { signal: signal ?? new AbortController().signal };
  const { result, denials } = await runOutsideCall(session.main, call, scope);
  if (denials.length > 0) throw new Error(`The tool did not run: ${withoutAdvice(textOf(result.content))}`);
  return { content: wireContent(result.content), isError: result.isError };
}
