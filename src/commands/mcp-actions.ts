import { orAborted } from "@quoll/async/or-aborted";
import { APPROVE_ONLY, COMPARED } from "../contracts/approval.ts";
import type { CommandResult } from "../contracts/command-result.ts";
import type { McpView } from "../contracts/mcp-view.ts";
import { yesNo } from "./yes-no.ts";

/** Ends a server and starts it again. */
export function reconnection(name: string, mcp: McpView): CommandResult {
  return operation(`Reconnecting ${name}`, async () => {
    await mcp.reconnect(name);
    return [outcome(name, mcp)];
  });
}

/** Disables or enables a server for this session. */
export function switching(name: string, isEnabled: boolean, mcp: McpView): CommandResult {
  return operation(`${isEnabled ? "Starting" : "Ending"} ${name}`, async () => {
    await mcp.setEnabled(name, isEnabled);
    return [outcome(name, mcp)];
  });
}

/** Reads the files of servers again. */
export function reloading(mcp: McpView): CommandResult {
  return operation("Reading the files of MCP servers", async () => {
    const { added, removed, warnings } = await mcp.reload();
    const changed = [
      ...removed.filter((name) => !added.includes(name)).map((name) => `The MCP server ${name} was ended.`),
      ...added.map((name) => outcome(name, mcp)),
    ];
    const waiting = mcp.leftOut().filter(({ reason }) => reason === "new" || reason === "changed");
    const lines = [...warnings, ...changed, ...waiting.map(({ name, why }) => `${name} is not started: ${why}.`)];
    return lines.length > 0 ? lines : ["Nothing has changed."];
  });
}

/**
 * Shows what a project's server would start, and approves it if the person has seen exactly this content.
 * @param asked `mark`: the content that the person has seen.
 */
export async function approval(
  { name, mark }: { readonly name: string; readonly mark: string | undefined },
  mcp: McpView,
): Promise<CommandResult> {
  const pending = await mcp.pendingApproval(name);
  if (!pending) {
    const line = `${name} does not wait for approval: .mcp.json has no such server, or this folder is not trusted.`;
    return { kind: "text", lines: [line] };
  }
  if (mark === pending.mark)
    return operation(`Starting ${name}`, async () => {
      const { isApproved, problem } = await mcp.approve(name, mark);
      if (!isApproved) return [`${name} has just changed: look at it again with /mcp approve ${name}`];
      return [...(problem === undefined ? [] : [problem]), outcome(name, mcp)];
    });
  const yes = `/mcp approve ${name} ${pending.mark}`;
  return yesNo({
    title: `Approve the MCP server ${name}?`,
    no: { label: "Not now", detail: "leave it out" },
    yes: {
      label: "Approve",
      detail: "start the server now and in later sessions, until its configuration changes",
      input: yes,
    },
    before: [
      `The MCP server ${name} of this project:`,
      ...pending.lines.map((line) => `  ${line}`),
      COMPARED,
      APPROVE_ONLY,
    ],
    lines: [`To approve the server: ${yes}`],
  });
}

function outcome(name: string, mcp: McpView): string {
  const state = mcp.states().find((one) => one.name === name);
  if (!state) {
    const left = mcp.leftOut().find((one) => one.name === name);
    return `The MCP server ${name} is not started${left ? `: ${left.why}.` : "."}`;
  }
  const error = state.error === undefined ? "" : `: ${state.error}`;
  return `The MCP server ${name} is ${state.status}${error}.`;
}

function operation(title: string, work: () => Promise<readonly string[]>): CommandResult {
  return {
    kind: "operation",
    title,
    run: async (_, signal) => ({ kind: "text", lines: await orAborted(work(), signal) }),
  };
}
