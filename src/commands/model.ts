import { formatCount } from "@quoll/terminal-text/format-amount";
import type { Command, CommandContext } from "../contracts/command.ts";
import { UserFacingError } from "../contracts/errors.ts";
import type { Thinking } from "../contracts/provider.ts";
import { modelChoices } from "./model-table.ts";

/** Providers cache no shorter prompt. */
const MIN_RESENT_TOKENS = 1_024;

/** Without a name: shows the current model and the list. With a name: switches to it. */
export const modelCommand: Command = {
  name: "model",
  summary: "Show or change the model",
  argumentHint: "[name]",
  needsNoServers: true,
  async run(argument, { engine, models }) {
    const name = argument.trim();
    if (name !== "") {
      const before = engine.state.model;
      await engine.setModel(name).catch((cause: unknown) => explain(name, models, cause));
      const { model, providerName } = engine.state;
      const resent = model === before ? [] : resentLines(engine.state);
      return { kind: "text", lines: [`The model is now ${model} (${providerName}).`, ...resent] };
    }
    const { model, providerName, effort = "default", thinking } = engine.state;
    const choices = await choicesOf(models, model);
    const shortcuts = [
      { letter: "e", label: `effort: ${effort}`, input: "/effort" },
      { letter: "t", label: `thinking: ${thinkingWord(thinking)}`, input: "/thinking" },
    ];
    const lines = [
      `The model is ${model} (${providerName}); effort ${effort}, thinking ${thinkingWord(thinking)}.`,
      ...choices.map(({ label, detail }) => `  ${label}  ${detail}`.trimEnd()),
      "`/model <name>` changes it; any model id of the provider works.",
    ];
    return { kind: "choose", title: `Model: ${model} (${providerName})`, choices, shortcuts, lines };
  },
};

/** The price of a change after which the cached prompt can't be used. */
export function resentLines({ usedTokens }: { readonly usedTokens: number }): readonly string[] {
  if (usedTokens < MIN_RESENT_TOKENS) return [];
  return [`The next request sends about ${formatCount(usedTokens)} tokens without the prompt cache.`];
}

export function thinkingWord(thinking: Thinking | undefined): string {
  if (typeof thinking === "number" && thinking > 0) return `up to ${thinking.toLocaleString("en-US")} tokens`;
  return thinking === undefined ? "default" : thinking ? "on" : "off";
}

async function choicesOf(models: CommandContext["models"], inUse: string) {
  if (models.describe) return modelChoices(await models.describe(), inUse);
  return models.list().map((other) => ({
    label: other,
    detail: other === inUse ? "in use" : "",
    input: `/model ${other}`,
    ...(other === inUse && { isCurrent: true }),
  }));
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
