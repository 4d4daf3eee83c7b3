import { formatCount, formatDuration, formatUsd } from "@quoll/terminal-text/format-amount";
import { oneLine } from "@quoll/terminal-text/one-line";
import type { Command, CommandContext, ModelOffer } from "../contracts/command.ts";
import { type Choice, type CommandResult, choiceInUse } from "../contracts/command-result.ts";
import { editDistance, nearestName } from "../contracts/did-you-mean.ts";
import { UserFacingError } from "../contracts/errors.ts";
import type { Thinking } from "../contracts/provider.ts";
import { continuing } from "./complete.ts";
import { modelChoices } from "./model-table.ts";

/** Providers don't cache shorter prompts. */
const MIN_RESENT_TOKENS = 1_024;
const DEFAULT_FLAG = "--default";
/** Sends a first request to the new model. */
export const TRY_FLAG = "--try";
const MAX_ANSWER_COLUMNS = 60;

/**
 * Without a name: shows the current model and the list. With a name: switches to the model; `--default` also makes it
 * the default, and `--try` also asks the model for a first answer.
 */
export const modelCommand: Command = {
  name: "model",
  summary: "Show or change the model",
  argumentHint: "[name] [--default] [--try]",
  needsNoServers: true,
  async complete(typed, { models }) {
    const offers = await models.describe?.();
    const named = offers?.map(({ name, model, provider }) => ({
      value: name,
      summary: [...(model === name ? [] : [model]), provider].join(" · "),
    }));
    return continuing(typed, named ?? models.list().map((value) => ({ value, summary: "" })));
  },
  async run(argument, context, signal) {
    const { engine, models } = context;
    const [name = "", ...words] = argument.trim().split(/\s+/);
    if (name !== "") return change(name, words, context, signal);
    const { model, providerName, effort = "default", thinking } = engine.state;
    const choices = await choicesOf(context, model);
    const { describeAll } = models;
    const shortcuts = [
      ...(context.settings ? [{ letter: "s", label: "as default" }] : []),
      { letter: "e", label: `effort: ${effort}`, input: "/effort" },
      { letter: "t", label: `thinking: ${thinkingWord(thinking)}`, input: "/thinking" },
    ];
    const lines = [
      `The model is ${model} (${providerName}); effort ${effort}, thinking ${thinkingWord(thinking)}.`,
      ...choices.map(({ label, detail }) => `  ${label}  ${detail}`.trimEnd()),
      "`/model <name>` changes the model; any model id of the provider works.",
    ];
    const later =
      describeAll &&
      (async (signal: AbortSignal) =>
        withDefaults(modelChoices(await describeAll(signal), model, context.isPlain), context));
    return {
      kind: "choose",
      title: `Model: ${model} (${providerName})`,
      choices,
      shortcuts,
      lines,
      ...(later && { later }),
    };
  },
};

/** Changes the model of the session, and with `--default` also the model of new sessions. */
async function change(
  name: string,
  words: readonly string[],
  context: CommandContext,
  signal: AbortSignal,
): Promise<CommandResult> {
  const { engine, models } = context;
  if (words.some((word) => word !== DEFAULT_FLAG && word !== TRY_FLAG))
    throw new UserFacingError(
      `A model has one name: /model <name>, or /model <name> ${DEFAULT_FLAG}, or /model <name> ${TRY_FLAG}.`,
    );
  const isTried = words.includes(TRY_FLAG);
  if (!isTried) await assertNoSlip(name, models);
  const before = engine.state.model;
  await engine.setModel(name).catch((cause: unknown) => explain(name, models, cause));
  const { model, providerName } = engine.state;
  const resent = model === before ? [] : resentLines(engine.state);
  const saved = words.includes(DEFAULT_FLAG) ? await saveDefault(name, context) : [];
  const unknown = isTried ? [] : await unknownLines(name, engine.state, models);
  const lines = [`The model is now ${model} (${providerName}).`, ...unknown, ...resent, ...saved];
  return isTried ? trying(lines, context, signal) : { kind: "text", lines };
}

/** Names of which so many letters differ are taken for typing errors. */
const MAX_SLIPPED_LETTERS = 2;
/** Shorter names resemble too many others. */
const MIN_NAME_CHARS = 4;

/**
 * A server may have any model, so a switch to a mistyped name would only fail with the next prompt.
 * @throws {UserFacingError} the name is nearly that of a known model; nothing has changed.
 */
async function assertNoSlip(name: string, { list, describe }: CommandContext["models"]): Promise<void> {
  const known = list();
  if (!describe || name.length < MIN_NAME_CHARS || known.includes(name)) return;
  const offers = await describe();
  const names = [...known, ...offers.flatMap((offer) => [offer.name, offer.model, `${offer.provider}/${offer.model}`])];
  if (names.some((one) => one.toLowerCase() === name.toLowerCase())) return;
  const near = nearestName(name, names);
  if (near === undefined || editDistance(name, near) > MAX_SLIPPED_LETTERS || isOtherVersion(name, near)) return;
  throw new UserFacingError(
    `No model is known as "${name}", and nothing was changed: did you mean \`/model ${nameFor(near, offers)}\`? ` +
      `Otherwise \`/model ${name} ${TRY_FLAG}\` switches and asks for a first answer.`,
  );
}

/** True for names that differ in their numbers only: a new version of a known model is no typing error. */
function isOtherVersion(name: string, other: string): boolean {
  const [letters, others] = [name, other].map((one) => one.toLowerCase().replace(/[\d.-]+/g, ""));
  return letters === others;
}

/** The name that `/model` accepts for a name or an id of the list. */
function nameFor(near: string, offers: readonly ModelOffer[]): string {
  if (offers.some(({ name }) => name === near)) return near;
  return offers.find(({ model }) => model === near)?.name ?? near;
}

/** One line for a model that is not among the known models of its provider, if Quoll knows any of them. */
async function unknownLines(
  name: string,
  { model, providerName }: Pick<CommandContext["engine"]["state"], "model" | "providerName">,
  { describe }: CommandContext["models"],
): Promise<readonly string[]> {
  const offers = (await describe?.()) ?? [];
  const ofProvider = offers.filter(({ provider }) => provider === providerName);
  if (ofProvider.length === 0 || ofProvider.some((offer) => offer.model === model)) return [];
  const own = ofProvider.map((offer) => offer.model);
  const names = offers.map((offer) => offer.name);
  const near = nearestName(model, own) ?? nearestName(model, names);
  const found = ofProvider.find((offer) => offer.model === near)?.name ?? near;
  const meant = found === undefined ? "" : `did you mean \`/model ${found}\`? Otherwise `;
  return [
    `Quoll does not know this model of ${providerName}: ${meant}\`/model ${name} ${TRY_FLAG}\` asks the model for a first answer.`,
  ];
}

/** While a turn runs, no operation is shown: Esc belongs to the turn. */
async function trying(lines: readonly string[], context: CommandContext, signal: AbortSignal): Promise<CommandResult> {
  const { engine } = context;
  if (engine.state.busy) return firstAnswer(lines, context, signal);
  const run = (_: unknown, during: AbortSignal) => firstAnswer(lines, context, during);
  return { kind: "operation", title: `Asking ${engine.state.model} for a first answer`, run };
}

/** @throws {UserFacingError} the model is chosen but does not answer: the reason, and what to do. */
async function firstAnswer(
  lines: readonly string[],
  { engine, sideQuestions, now }: CommandContext,
  signal: AbortSignal,
): Promise<CommandResult> {
  const { model, providerName } = engine.state;
  if (!sideQuestions) return { kind: "text", lines };
  const startedAt = now();
  const { text, tokens, costUsd } = await sideQuestions.tryOut(signal).catch((cause: unknown) => {
    if (!(cause instanceof UserFacingError)) throw cause;
    const again = `\`/login ${providerName}\` changes the key, \`/model\` changes the model.`;
    throw new UserFacingError(`${model} does not answer yet. ${cause.message} ${again}`, 1, { cause });
  });
  const cost = costUsd === undefined ? "" : ` · ${formatUsd(costUsd)}`;
  const spent = `${formatDuration(now() - startedAt)} · ${formatCount(tokens)} tokens${cost}`;
  const said = text === "" ? "It answers" : `It answers “${oneLine(text, MAX_ANSWER_COLUMNS)}”`;
  return { kind: "text", lines: [...lines, `${said} (${spent}). Say what you want done.`] };
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

/** The lines about the price of a change after which the cached prompt can't be used. */
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
  if (models.describe) return withDefaults(modelChoices(await models.describe(), inUse, context.isPlain), context);
  return withDefaults(
    models.list().map((other) => choiceInUse(other, `/model ${other}`, inUse)),
    context,
  );
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
