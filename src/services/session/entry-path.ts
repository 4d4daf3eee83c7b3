import { MAIN_AGENT } from "../../contracts/agent.ts";
import type { Entry } from "../../contracts/session.ts";
import type { Frame } from "./entry.ts";

/** An entry of the tree; one of a kind that we don't know is only passed through. */
export type Link = Entry | Frame;

/** True if an entry is of the session's own agent. */
export function isOfMainAgent({ parentAgentId }: Pick<Link, "parentAgentId">): boolean {
  return parentAgentId === null || parentAgentId === undefined;
}

/**
 * The links from a leaf up by `parentId`, oldest first. Where one is lost, the same agent's entry before it in the file takes its
 * place.
 * @param links In the order of the file.
 * @returns nothing when the leaf is none of them.
 */
export function pathOf(links: readonly Link[], leafId: string | null): readonly Link[] {
  const places = new Map(links.map(({ id }, index) => [id, index]));
  const path: Link[] = [];
  for (let at = places.get(leafId ?? "") ?? -1; at >= 0; ) {
    const link = links[at];
    if (!link) break;
    path.push(link);
    const parent = link.parentId === null ? -1 : (places.get(link.parentId) ?? at);
    // A parent stands before its child: anything else would go round in circles.
    at = parent < at ? parent : before(links, at);
  }
  return path.reverse();
}

function before(links: readonly Link[], at: number): number {
  const agentId = agentOf(links[at]);
  return links.findLastIndex((link, index) => index < at && agentOf(link) === agentId);
}

/** Format 1 knows one agent and does not name it. */
function agentOf(link: Link | undefined): string {
  return link?.agentId ?? MAIN_AGENT.agentId;
}
