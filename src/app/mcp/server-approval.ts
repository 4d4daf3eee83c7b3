import type { Approvable } from "../../contracts/approval.ts";
import { sha256 } from "../../platform/digest.ts";
import { projectServers } from "../../services/trust/project-servers.ts";
import type { ServerEnvironment } from "./names-servers.ts";
import { withOwnRules } from "./rules-for-servers.ts";

const MARK_CHARS = 8;

/** The effect of a project's server, and a mark that names exactly this content. */
export type PendingApproval = { readonly lines: readonly string[]; readonly mark: string };

/** @returns undefined if the folder is not trusted, or its `.mcp.json` has no such server. */
export async function pendingApproval(
  name: string,
  environment: ServerEnvironment,
): Promise<PendingApproval | undefined> {
  const item = await itemOf(name, environment);
  if (!item) return undefined;
  const [{ lines } = item] = withOwnRules([item], environment.rules);
  return { lines, mark: markOf(item) };
}

/**
 * Approves a project's server, if its content still has this mark.
 * @returns false if the content is different. `problem`: one line if the answer could not be stored.
 */
export async function approveServer(
  { name, mark }: { readonly name: string; readonly mark: string },
  environment: ServerEnvironment,
): Promise<{ readonly isApproved: boolean; readonly problem?: string }> {
  const item = await itemOf(name, environment);
  if (!item || markOf(item) !== mark) return { isApproved: false };
  const problem = await environment.approvals.approve([item], "always");
  return { isApproved: true, ...(problem !== undefined && { problem }) };
}

async function itemOf(name: string, { isTrusted, project }: ServerEnvironment): Promise<Approvable | undefined> {
  if (!isTrusted) return undefined;
  return (await projectServers(project.root)).items.find((item) => item.name === name);
}

function markOf({ content }: Approvable): string {
  return sha256(content).slice(0, MARK_CHARS);
}
