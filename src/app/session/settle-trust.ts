import { join } from "node:path";
import { revealedLine } from "@quoll/terminal-text/one-line";
import { type Approvable, type ApprovalRequest, approvableLabel } from "../../contracts/approval.ts";
import type { AboveRequest, TrustRequest } from "../../contracts/permission.ts";
import type { LoadedSettings } from "../../services/config/load-settings.ts";
import type { ApprovalStore } from "../../services/trust/approval-store.ts";
import type { CollectedContent } from "../../services/trust/project-servers.ts";
import { idleHookFiles, shownLines, trustEffects } from "../../services/trust/trust-effects.ts";
import type { TrustStore } from "../../services/trust/trust-store.ts";
import { marksProject, type Project } from "../../services/workspace/open-workspace.ts";
import { StartupCancelledError } from "./startup-cancelled.ts";

const MAX_NAME_COLUMNS = 100;

/** A person's answer about a folder: trust it always, for this run, not at all, or leave. */
export type TrustAnswer = "trust" | "session" | "no" | "exit";

/** A person's answer about new or changed content: approve it always, leave it out for now, or leave. */
export type ApprovalAnswer = "approve" | "no" | "exit";

/** A person's answer about instruction files above the project: read them always, never, or leave. */
export type AboveAnswer = "read" | "no" | "exit";

/** Callbacks that ask the person; undefined if no person can answer. */
export type ProjectPorts = {
  /** Tells the person one line. */
  startupWarning(line: string): void;
  askTrust?(request: TrustRequest): Promise<TrustAnswer>;
  askApproval?(request: ApprovalRequest): Promise<ApprovalAnswer>;
  askAbove?(request: AboveRequest): Promise<AboveAnswer>;
};

type Asking = {
  readonly content: CollectedContent;
  readonly project: Project;
  readonly answers: { readonly trust: TrustStore; readonly approvals: ApprovalStore };
};

/** @returns true if the person trusts the folder. @throws {StartupCancelledError} the person chose to leave. */
export async function settleTrust(
  { held, content, project: { root, trustRoot }, answers }: Asking & Pick<LoadedSettings, "held">,
  { askTrust, startupWarning }: ProjectPorts,
): Promise<boolean> {
  const { items } = content;
  const reasons = await trustEffects(root, held, content);
  if (reasons.length === 0 && !marksProject(join(root, ".git"))) return false;
  if (!askTrust) {
    const { untrustedLines } = await import("./notices/left-out-lines.ts");
    for (const line of untrustedLines(root, held, items)) startupWarning(line);
    return false;
  }
  const answer = await askTrust({ root: trustRoot, reasons, items, idleHooks: await idleHookFiles(root) });
  switch (answer) {
    case "trust":
    case "session": {
      const problem = answer === "trust" ? await answers.trust.trust(trustRoot) : undefined;
      // A line is shown if the folder is trusted only for this session.
      const scope = answer === "trust" && problem === undefined ? "always" : "session";
      const remark = await answers.approvals.approve(items, scope);
      for (const line of [problem, remark]) if (line !== undefined) startupWarning(line);
      return true;
    }
    case "no":
      return false;
    case "exit":
      throw new StartupCancelledError(root);
  }
}

/**
 * @returns the content of a trusted project that is left out.
 * @throws {StartupCancelledError} the person chose to leave.
 */
export async function settleApproval(
  { content, project: { trustRoot: root }, answers: { approvals } }: Asking,
  { askApproval, startupWarning }: ProjectPorts,
): Promise<readonly Approvable[]> {
  for (const { obstacle, ...item } of content.items)
    if (obstacle !== undefined)
      startupWarning(
        `${revealedLine(approvableLabel(item), MAX_NAME_COLUMNS)} can't be approved, and stays off: ${obstacle}.`,
      );
  const states = content.items.map((item) => ({ item, state: approvals.state(item) }));
  const open = states.filter(({ state }) => state === "new" || state === "changed");
  const items = open.map(({ item }) => item);
  if (items.length === 0 || !askApproval) return items;
  const reasons = open.flatMap(({ item, state }) =>
    item.lines.map((line, at) => (state === "changed" && at === 0 ? `has changed: ${line}` : line)),
  );
  const hasChangedHook = open.some(({ item, state }) => item.kind === "hook" && state === "changed");
  const answer = await askApproval({ root, items, reasons: shownLines(reasons), hasChangedHook });
  if (answer === "exit") throw new StartupCancelledError(root);
  if (answer === "no") return items;
  const problem = await approvals.approve(items, "always");
  if (problem !== undefined) startupWarning(problem);
  return [];
}
