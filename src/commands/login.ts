import { tableLines } from "@quoll/terminal-text/table-lines";
import type { AccountStatus, Accounts, Command, CommandContext, ModelOffer } from "../contracts/command.ts";
import type { Choice, CommandResult } from "../contracts/command-result.ts";
import { didYouMean } from "../contracts/did-you-mean.ts";
import { UserFacingError } from "../contracts/errors.ts";
import { TRY_FLAG } from "./model.ts";
import { modelChoices } from "./model-table.ts";

const KEY_FIELD = "key";
/** The engine that answers when no model is configured. */
const OFFLINE = "offline";

/**
 * Without an argument: lists the providers with their saved keys. With a provider: asks for its key on a hidden line,
 * then for the model, which gives a first answer.
 */
export const loginCommand: Command = {
  name: "login",
  summary: "Show which providers have a key, or save one",
  argumentHint: "[provider]",
  interactive: true,
  async run(argument, context, signal) {
    const { accounts } = context;
    if (!accounts)
      return {
        kind: "text",
        lines: ["`quoll auth login <provider>` saves a key; `quoll auth status` lists the keys."],
      };
    const all = await accounts.list();
    const wanted = argument.trim().toLowerCase();
    if (wanted !== "") return askKey(wanted, { all, accounts, context, signal });
    return { kind: "choose", title: "Whose models?", choices: providerChoices(all), lines: overview(all) };
  },
};

/** Providers with a key come first, servers on this machine last. */
function providerChoices(all: readonly AccountStatus[]): readonly Choice[] {
  const rank = ({ access, needsKey }: AccountStatus) => (access !== undefined ? 0 : needsKey ? 1 : 2);
  return all
    .toSorted((one, other) => rank(one) - rank(other))
    .map(({ provider, access, from, needsKey }) => ({
      label: provider,
      detail: access === undefined ? (from === "" ? accessWord(needsKey) : from) : `${access}  ${from}`,
      brief: access ?? accessWord(needsKey),
      input: `/login ${provider}`,
    }));
}

function accessWord(needsKey: boolean): string {
  return needsKey ? "no key" : "on this machine";
}

function overview(all: readonly AccountStatus[]): readonly string[] {
  const having = all.filter(({ access, from }) => access !== undefined || from !== "");
  const others = all.filter((one) => !having.includes(one));
  const without = others.filter(({ needsKey }) => needsKey).map(({ provider }) => provider);
  const local = others.filter(({ needsKey }) => !needsKey).map(({ provider }) => provider);
  return [
    having.length === 0 ? "No provider has a key here." : "Providers with a key",
    ...tableLines(
      having.map(({ provider, access = "-", from }) => [provider, access, from]),
      "  ",
    ),
    ...(without.length > 0 ? [`Without a key: ${without.join(", ")}.`] : []),
    ...(local.length > 0 ? [`On your own machine, without a key: ${local.join(", ")}.`] : []),
    "`/login <provider>` asks for a key; in a shell: `quoll auth login <provider>`.",
  ];
}

type Asking = {
  readonly all: readonly AccountStatus[];
  readonly accounts: Accounts;
  readonly context: CommandContext;
  readonly signal: AbortSignal;
};

async function askKey(wanted: string, { all, accounts, context, signal }: Asking): Promise<CommandResult> {
  const { provider, needsKey, access } = accountNamed(wanted, all);
  if (!needsKey && access === undefined) {
    const choices = await openModels(provider, context, signal);
    if (choices.length === 0) throw noServer(provider);
    return chooseModel(provider, choices, [`${provider} answers without a key.`]);
  }
  return {
    kind: "form",
    title: `Key for ${provider}`,
    fields: [{ name: KEY_FIELD, label: "Key", isSecret: true }],
    lines: [`\`quoll auth login ${provider}\` in a shell asks for the key.`],
    back: "/login",
    submit: async ({ [KEY_FIELD]: key = "" }) => {
      const saved = await accounts.save(provider, key);
      const choices = await firstModels(provider, context);
      if (choices.length > 0) return chooseModel(provider, choices, [saved]);
      return { kind: "text", lines: [saved, "`/model` changes to one of its models."] };
    },
  };
}

function noServer(provider: string): UserFacingError {
  const elsewhere = `If the server is elsewhere or needs a key: \`quoll auth login ${provider} --endpoint <url>\` in a shell.`;
  return new UserFacingError(
    `No ${provider} server answers on this machine. Start the server, then try again. ${elsewhere}`,
  );
}

/** @throws {UserFacingError} if there is no such provider, or the person typed a key as the argument. */
function accountNamed(wanted: string, all: readonly AccountStatus[]): AccountStatus {
  const [name = "", ...more] = wanted.split(/\s+/);
  if (more.length > 0) {
    throw new UserFacingError(
      "Don't type a key here, where it is visible and saved in the history: type only `/login <provider>`, and Quoll asks for the key.",
    );
  }
  const found = all.find(({ provider }) => provider === name);
  if (found) return found;
  const names = all.map(({ provider }) => provider);
  const hint = didYouMean(name, names, `The providers are ${names.join(", ")}.`);
  throw new UserFacingError(`There is no such provider. ${hint}`);
}

function chooseModel(provider: string, choices: readonly Choice[], before: readonly string[]): CommandResult {
  return {
    kind: "choose",
    title: `Which model of ${provider}?`,
    choices: choices.map((choice) => ({ ...choice, input: `${choice.input} ${TRY_FLAG}` })),
    before,
    lines: ["`/model` changes to one of its models."],
  };
}

/** Offers the models of a new key to a person who had no model of another provider; otherwise the model stays. */
async function firstModels(provider: string, { engine, models }: CommandContext): Promise<readonly Choice[]> {
  const { providerName, model } = engine.state;
  if (providerName !== OFFLINE && providerName !== provider) return [];
  return modelsOf(provider, (await models.describe?.()) ?? [], model);
}

/** The models of a server on this machine that answers. */
async function openModels(
  provider: string,
  { engine, models }: CommandContext,
  signal: AbortSignal,
): Promise<readonly Choice[]> {
  return modelsOf(provider, (await models.describeAll?.(signal)) ?? [], engine.state.model);
}

function modelsOf(provider: string, offers: readonly ModelOffer[], inUse: string): readonly Choice[] {
  const own = offers.filter((offer) => offer.provider === provider && offer.hasAccess);
  const isOwn = own.some(({ name, model }) => name === inUse || model === inUse);
  return modelChoices(own, inUse).filter(({ isCurrent }) => isOwn || !isCurrent);
}
