import type { Reply, ReplyBlock, Scenario, ScenarioRequest } from "./scenario.ts";

/** A tool_use id may occur only once in a history, so the second and later rounds add a suffix to it. */
function inRound(reply: Reply, round: number): Reply {
  if (round === 0) return reply;
  const renamed = (block: ReplyBlock): ReplyBlock =>
    block.type === "tool_use" && block.id !== undefined ? { ...block, id: `${block.id}_r${round}` } : block;
  return { ...reply, content: reply.content.map(renamed) };
}

/**
 * Hands out a scenario's replies one by one; undefined when a list is used up. A scenario function is called every
 * time, and its errors are passed on.
 */
export function scenarioCursor(
  scenario: Scenario,
  loop: boolean,
): (request: ScenarioRequest) => Promise<Reply | undefined> {
  let index = 0;
  return async (request) => {
    const place = index++;
    if (typeof scenario === "function") return scenario(request, place);
    if (!loop || scenario.length === 0) return scenario[place];
    const reply = scenario[place % scenario.length];
    return reply && inRound(reply, Math.floor(place / scenario.length));
  };
}
