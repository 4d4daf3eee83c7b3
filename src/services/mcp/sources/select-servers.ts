import { oneLine } from "@quoll/terminal-text/one-line";
import type { ApprovalState } from "../../../contracts/approval.ts";
import type { LeftOutServer, McpScope } from "../../../contracts/mcp.ts";
import type { McpServerConfig } from "../config/server-config.ts";
import { forbiddenBy, type ServerPolicy } from "./server-policy.ts";

/**
 * Whether a person agreed to run a project's server in its current form. `untrusted`: the whole folder is not trusted.
 */
export type ServerApproval = ApprovalState | "untrusted";

export type Candidate = {
  readonly config: McpServerConfig;
  readonly scope: McpScope;
  /** The file or option that names the server, for people. */
  readonly source: string;
  /** Set only for servers of a project. */
  readonly approval?: ServerApproval;
};

export type Selection = {
  readonly servers: readonly McpServerConfig[];
  readonly leftOut: readonly LeftOutServer[];
};

/**
 * Chooses the servers that start. A server that may not start does not hide another server with the same name.
 * @param candidates The servers, highest precedence first.
 */
export function selectServers(candidates: readonly Candidate[], policy: ServerPolicy): Selection {
  const byName = new Map<string, Candidate>();
  const byTarget = new Map<string, Candidate>();
  const leftOut: LeftOutServer[] = [];
  for (const candidate of candidates) {
    const { config } = candidate;
    const target = targetOf(config);
    const same = target === undefined ? undefined : byTarget.get(target);
    const reason =
      forbidden(config, policy) ??
      unapproved(candidate) ??
      overridden(candidate, byName.get(config.name)) ??
      duplicate(candidate, same);
    if (reason) {
      leftOut.push({ name: oneLine(config.name, 60), scope: candidate.scope, ...reason });
      continue;
    }
    byName.set(config.name, candidate);
    if (target !== undefined && !config.isDisabled) byTarget.set(target, candidate);
  }
  return { servers: [...byName.values()].map(({ config }) => config), leftOut };
}

type Reason = Pick<LeftOutServer, "reason" | "why">;

function forbidden(config: McpServerConfig, policy: ServerPolicy): Reason | undefined {
  const why = forbiddenBy(config, policy);
  return why === undefined ? undefined : { reason: "forbidden", why };
}

function unapproved({ approval = "approved", config, source }: Candidate): Reason | undefined {
  if (approval === "approved" || config.isDisabled) return undefined;
  const name = oneLine(config.name, 60);
  if (approval === "untrusted") return { reason: approval, why: "this folder is not trusted" };
  if (approval === "refused") return { reason: approval, why: `you refused it (/mcp approve ${name} allows it)` };
  const what = approval === "changed" ? `changed in ${source} since you approved it` : `new in ${source}`;
  return { reason: approval, why: `${what}: approve it with /mcp approve ${name}` };
}

function overridden({ config }: Candidate, other: Candidate | undefined): Reason | undefined {
  return other && { reason: "overridden", why: `${other.source} has a server named ${oneLine(config.name, 60)} too` };
}

/** Two entries of one file with the same program are meant as two servers, because their variables may differ. */
function duplicate({ source }: Candidate, same: Candidate | undefined): Reason | undefined {
  if (!same || same.source === source) return undefined;
  return { reason: "same", why: `it is the same server as ${oneLine(same.config.name, 60)} of ${same.source}` };
}

function targetOf(config: McpServerConfig): string | undefined {
  if (config.kind === "stdio") return JSON.stringify([config.command, config.args, config.cwd ?? ""]);
  return config.kind === "http" || config.kind === "sse" ? config.url.replace(/\/$/, "") : undefined;
}
