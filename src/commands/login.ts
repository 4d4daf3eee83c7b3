import { padText } from "@quoll/terminal-text/truncate-text";
import type { AccountStatus, Accounts, Command, CommandContext } from "../contracts/command.ts";
import type { Choice, CommandResult } from "../contracts/command-result.ts";
import { nearestNames } from "../contracts/did-you-mean.ts";
import { UserFacingError } from "../contracts/errors.ts";
import { modelChoices } from "./model-table.ts";

const KEY_FIELD = "key";
/** The engine that answers when no model is configured. */
const OFFLINE = "offline";

/**
 * Without an argument: shows which provider has a key and where it comes from. With a provider: asks for its key on a
 * hidden line.
 */
export const loginCommand: Command = {
  name: "login",
  summary: "Show which providers have a key, or save one",
  argumentHint: "[provider]",
  interactive: true,
  async run(argument, context) {
    const { accounts } = context;
    if (!accounts)
      return { kind: "text", lines: ["`quoll auth login <provider>` saves a key; `quoll auth status` lists them."] };
    const all = await accounts.list();
    const wanted = argument.trim().toLowerCase();
    return wanted === "" ? { kind: "text", lines: overview(all) } : askKey(wanted, all, accounts, context);
  },
};

function overview(all: readonly AccountStatus[]): readonly string[] {
  const having = all.filter(({ access, from }) => access !== undefined || from !== "");
  const others = all.filter((one) => !having.includes(one));
  const without = others.filter(({ needsKey }) => needsKey).map(({ provider }) => provider);
  const local = others.filter(({ needsKey }) => !needsKey).map(({ provider }) => provider);
  const names = Math.max(0, ...having.map(({ provider }) => provider.length));
  const keys = Math.max(0, ...having.map(({ access = "-" }) => access.length));
  return [
    having.length === 0 ? "No provider has a key here." : "Providers with a key",
    ...having.map(
      ({ provider, access = "-", from }) => `  ${padText(provider, names)}  ${padText(access, keys)}  ${from}`,
    ),
    ...(without.length > 0 ? [`Without a key: ${without.join(", ")}.`] : []),
    ...(local.length > 0 ? [`On your own machine, without a key: ${local.join(", ")}.`] : []),
    "`/login <provider>` asks for a key; in a shell: `quoll auth login <provider>`.",
  ];
}

function askKey(
  wanted: string,
  all: readonly AccountStatus[],
  accounts: Accounts,
  context: CommandContext,
): CommandResult {
  const [name = "", ...more] = wanted.split(/\s+/);
  if (more.length > 0) {
    throw new UserFacingError(
      "Don't type a key here, where it is visible and saved in the history: type only `/login <provider>`, and Quoll asks for the key.",
    );
  }
  const found = all.find(({ provider }) => provider === name);
  if (!found) {
    const names = all.map(({ provider }) => provider);
    const near = nearestNames(name, names);
    const hint = near.length > 0 ? `Did you mean ${near.join(" or ")}?` : `There are ${names.join(", ")}.`;
    throw new UserFacingError(`There is no such provider. ${hint}`);
  }
  const { provider } = found;
  return {
    kind: "form",
    title: `Key for ${provider}`,
    fields: [{ name: KEY_FIELD, label: "Key", isSecret: true }],
    lines: [`\`quoll auth login ${provider}\` in a shell asks for the key.`],
    submit: async ({ [KEY_FIELD]: key = "" }) => {
      const saved = await accounts.save(provider, key);
      const choices = await firstModels(provider, context);
      const next = "`/model` changes to one of its models.";
      if (choices.length === 0) return { kind: "text", lines: [saved, next] };
      return { kind: "choose", title: `Which model of ${provider}?`, choices, before: [saved], lines: [next] };
    },
  };
}

/** Offers the models of a new key to a person who had no model until now; otherwise the model stays. */
async function firstModels(provider: string, { engine, models }: CommandContext): Promise<readonly Choice[]> {
  if (engine.state.providerName !== OFFLINE) return [];
  const offers = (await models.describe?.()) ?? [];
  const own = offers.filter((offer) => offer.provider === provider && offer.hasAccess);
  return modelChoices(own, OFFLINE).filter(({ isCurrent }) => !isCurrent);
}
