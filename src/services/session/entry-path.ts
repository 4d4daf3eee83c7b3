import { MAIN_AGENT } from "../../contracts/agent.ts";
import type { Entry } from "../../contracts/session.ts";
import type { Frame } from "./read-line.ts";

/** An entry of the tree; an entry of an unknown kind is only a link. */
export type Link = Entry | Frame;

type TreePosition = Pick<Frame, "id" | "parentId" | "agentId">;

/** True if an entry belongs to the session's own agent. */
export function isOfMainAgent({ parentAgentId }: Pick<Link, "parentAgentId">): boolean {
  return parentAgentId === null || parentAgentId === undefined;
}

/**
 * The links from a leaf up by `parentId`, oldest first. If a parent is missing, the previous entry of the same agent
 * in the file replaces it.
 * @param links The links in the order of the file.
 * @returns no links if the leaf is not among them.
 */
export function pathOf<Linked extends TreePosition>(
  links: readonly Linked[],
  leafId: string | null,
): readonly Linked[] {
  const places = new Map(links.map(({ id }, index) => [id, index]));
  const path: Linked[] = [];
  for (let at = places.get(leafId ?? "") ?? -1; at >= 0; ) {
    const link = links[at];
    if (!link) break;
    path.push(link);
    const parent = link.parentId === null ? -1 : (places.get(link.parentId) ?? at);
    // A parent must precede its child in the file; otherwise the path could be a circle.
    at = parent < at ? parent : before(links, at);
  }
  return path.reverse();
}

function before(links: readonly TreePosition[], at: number): number {
  const agentId = agentOf(links[at]);
  return links.findLastIndex((link, index) => index < at && agentOf(link) === agentId);
}

/** Format 1 supports only one agent and does not name it. */
function agentOf(link: TreePosition | undefined): string {
  return link?.agentId ?? MAIN_AGENT.agentId;
}
