import { formatCount } from "@quoll/terminal-text/format-amount";
import type { Command, CommandContext } from "../contracts/command.ts";
import type { Choice, CommandResult } from "../contracts/command-result.ts";
import { UserFacingError } from "../contracts/errors.ts";
import type { Thinking } from "../contracts/provider.ts";
import { modelChoices } from "./model-table.ts";

/** Providers cache no shorter prompt. */
const MIN_RESENT_TOKENS = 1_024;
const DEFAULT_FLAG = "--default";

/** Without a name: shows the current model and the list. With a name: switches to it, and with `--default` keeps it. */
export const modelCommand: Command = {
  name: "model",
  summary: "Show or change the model",
  argumentHint: "[name] [--default]",
  needsNoServers: true,
  async run(argument, context) {
    const { engine, models } = context;
    const [name = "", ...words] = argument.trim().split(/\s+/);
    if (name !== "") return change(name, words, context);
    const { model, providerName, effort = "default", thinking } = engine.state;
    const choices = await choicesOf(context, model);
    const { describeAll } = models;
    const shortcuts = [
      ...(context.settings ? [{ letter: "s", label: "default" }] : []),
      { letter: "e", label: `effort: ${effort}`, input: "/effort" },
      { letter: "t", label: `thinking: ${thinkingWord(thinking)}`, input: "/thinking" },
    ];
    const lines = [
      `The model is ${model} (${providerName}); effort ${effort}, thinking ${thinkingWord(thinking)}.`,
      ...choices.map(({ label, detail }) => `  ${label}  ${detail}`.trimEnd()),
      "`/model <name>` changes it; any model id of the provider works.",
    ];
    const later =
      describeAll &&
      (async (signal: AbortSignal) => withDefaults(modelChoices(await describeAll(signal), model), context));
    return {
      kind: "choose",
      ...{ title: `Model: ${model} (${providerName})`, choices, shortcuts, lines },
      ...(later && { later }),
    };
  },
};

/** Changes the model of the session, and with `--default` that of new sessions. */
async function change(name: string, words: readonly string[], context: CommandContext): Promise<CommandResult> {
  const { engine, models } = context;
  if (words.some((word) => word !== DEFAULT_FLAG))
    throw new UserFacingError(`A model has one name: /model <name>, or /model <name> ${DEFAULT_FLAG}.`);
  const before = engine.state.model;
  await engine.setModel(name).catch((cause: unknown) => explain(name, models, cause));
  const { model, providerName } = engine.state;
  const resent = model === before ? [] : resentLines(engine.state);
  const saved = words.length === 0 ? [] : await saveDefault(name, context);
  return { kind: "text", lines: [`The model is now ${model} (${providerName}).`, ...resent, ...saved] };
}

/** Writes the model into the user's settings. */
async function saveDefault(name: string, { settings }: CommandContext): Promise<readonly string[]> {
  const view = await settings?.();
  if (!view) throw new UserFacingError("`quoll config set model <name>` in a shell saves the default model.");
  const { lines } = await view.edit({ what: "set", key: "model", value: name, scope: "user", adds: false });
  return [`New sessions begin with ${name}.`, ...lines];
}

function withDefaults(choices: readonly Choice[], { settings }: CommandContext): readonly Choice[] {
  if (!settings) return choices;
  return choices.map((choice) => ({ ...choice, also: { s: `${choice.input} ${DEFAULT_FLAG}` } }));
}

/** The price of a change after which the cached prompt can't be used. */
export function resentLines({ usedTokens }: { readonly usedTokens: number }): readonly string[] {
  if (usedTokens < MIN_RESENT_TOKENS) return [];
  return [`The next request sends about ${formatCount(usedTokens)} tokens without the prompt cache.`];
}

export function thinkingWord(thinking: Thinking | undefined): string {
  if (typeof thinking === "number" && thinking > 0) return `up to ${thinking.toLocaleString("en-US")} tokens`;
  return thinking === undefined ? "default" : thinking ? "on" : "off";
}

async function choicesOf(context: CommandContext, inUse: string): Promise<readonly Choice[]> {
  const { models } = context;
  if (models.describe) return withDefaults(modelChoices(await models.describe(), inUse), context);
  const choices = models.list().map((other) => ({
    label: other,
    detail: other === inUse ? "in use" : "",
    input: `/model ${other}`,
    ...(other === inUse && { isCurrent: true }),
  }));
  return withDefaults(choices, context);
}

/** @throws {UserFacingError} says how to add the key if the model lacks one; otherwise the original problem. */
async function explain(name: string, models: CommandContext["models"], cause: unknown): Promise<never> {
  const offers = (await models.describe?.()) ?? [];
  const offer = offers.find((one) => one.name === name) ?? offers.find((one) => one.model === name);
  if (!(cause instanceof UserFacingError) || !offer || offer.hasAccess) throw cause;
  const { model, provider } = offer;
  throw new UserFacingError(
    `There is no key for ${provider}, which has ${model}: \`/login ${provider}\` asks for the key.`,
    1,
    {
      cause,
    },
  );
}
