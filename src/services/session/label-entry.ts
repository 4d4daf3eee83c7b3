import { MAIN_AGENT } from "../../contracts/agent.ts";
import type { EntryBody, EntryPlace, SessionLabel } from "../../contracts/session.ts";
import { titleOf } from "./session-title.ts";

/** No entry of a conversation follows a label, so a label counts as an entry of another agent. */
export const LABEL_PLACE: EntryPlace = {
  parentId: null,
  agent: { agentId: "label", parentAgentId: MAIN_AGENT.agentId },
};

export function labelBody({ name, title, ...marks }: SessionLabel): EntryBody {
  return {
    kind: "label",
    optional: true,
    ...(name !== undefined && { name: titleOf(name) ?? "" }),
    ...(title !== undefined && { title: titleOf(title) ?? "" }),
    ...marks,
  };
}
