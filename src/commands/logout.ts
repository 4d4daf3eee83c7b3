import type { Command } from "../contracts/command.ts";
import { UserFacingError } from "../contracts/errors.ts";

/**
 * Removes a provider's saved key and address. Without an argument: lists the providers that have a key or an address.
 */
export const logoutCommand: Command = {
  name: "logout",
  summary: "Remove the saved key of a provider",
  argumentHint: "[provider]",
  interactive: true,
  needsNoServers: true,
  async run(argument, { accounts }) {
    if (!accounts) return { kind: "text", lines: ["`quoll auth logout <provider>` removes a saved key."] };
    const wanted = argument.trim().toLowerCase();
    const saved = await accounts.saved();
    if (wanted !== "") return { kind: "text", lines: await accounts.remove(wanted) };
    if (saved.length === 0)
      throw new UserFacingError("No key is saved here. `/login` shows where the keys in use come from.");
    return {
      kind: "choose",
      title: "Remove the saved key of which provider?",
      choices: saved.map((name) => ({ label: name, detail: "", input: `/logout ${name}` })),
      lines: [`Saved: ${saved.join(", ")}.`, "`/logout <provider>` removes its key."],
    };
  },
};
