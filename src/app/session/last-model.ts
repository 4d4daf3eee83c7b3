import { errorMessage } from "../../contracts/errors.ts";
import { chooseProvider } from "../../services/provider/choose-provider.ts";
import type { ModelAccess } from "../model-access.ts";
import type { OpenedConversation } from "./open-conversation.ts";

type Resuming = {
  readonly conversation: Pick<OpenedConversation, "restored">;
  readonly access: ModelAccess;
  /** Receives one line about a model that is no longer available. */
  notify(line: string): void;
};

/**
 * The model with which a resumed conversation continues: that of its last prompt.
 * @returns undefined for a new conversation, after the offline engine (which may have stood in for a missing key), and
 * for a model that is no longer available.
 */
export async function lastModel({ conversation, access, notify }: Resuming) {
  const setups = (conversation.restored?.entries ?? []).filter((entry) => entry.kind === "setup");
  const last = setups.findLast(({ provider }) => provider !== undefined);
  if (last === undefined || last.provider === "offline") return undefined;
  const flag = `${last.provider}/${last.model}`;
  try {
    await chooseProvider({ flag, setting: undefined }, access);
    return { flag, setting: undefined };
  } catch (error) {
    notify(`${last.model}, the last model of this session, is not used: ${errorMessage(error)}`);
    return undefined;
  }
}
