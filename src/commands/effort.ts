import type { Command, CommandContext } from "../contracts/command.ts";
import { choiceInUse } from "../contracts/command-result.ts";
import { UserFacingError } from "../contracts/errors.ts";
import { EFFORTS } from "../contracts/provider.ts";
import { continuing } from "./complete.ts";

const DEFAULT = "default";
const HINT = [...EFFORTS, DEFAULT].join("|");

/** Sets the effort of the following requests; `default` leaves it to the model. */
export const effortCommand: Command = {
  name: "effort",
  summary: "How hard the model thinks: low, medium, high, xhigh, max",
  argumentHint: "[level]",
  needsNoServers: true,
  async complete(typed, context) {
    const { effort: now = DEFAULT } = context.engine.state;
    const offered = await offeredEfforts(context);
    return continuing(
      typed,
      [DEFAULT, ...offered].map((value) => ({ value, summary: value === now ? "in use" : "" })),
    );
  },
  async run(argument, context) {
    const { engine } = context;
    const wanted = argument.trim().toLowerCase();
    const { effort: now = DEFAULT, model } = engine.state;
    if (wanted === "") {
      const offered = await offeredEfforts(context);
      if (offered.length === 0) return { kind: "text", lines: [`The model ${model} has no effort setting.`] };
      const choices = [DEFAULT, ...offered].map((name) => choiceInUse(name, `/effort ${name}`, now));
      const lines = [`The effort is ${now}. \`/effort ${HINT}\` changes it.`];
      return { kind: "choose", title: `Effort of ${model}`, choices, isScale: true, lines };
    }
    const effort = EFFORTS.find((name) => name === wanted);
    if (!effort && wanted !== DEFAULT) throw new UserFacingError(`There is no effort "${wanted}": choose ${HINT}.`);
    const offered = await offeredEfforts(context);
    if (effort && !offered.includes(effort)) {
      const there = offered.length === 0 ? "the model has no effort setting" : `the model has ${offered.join(", ")}`;
      throw new UserFacingError(`The model ${model} does not support the effort "${effort}": ${there}.`);
    }
    engine.setEffort(effort);
    return { kind: "text", lines: [`The effort is now ${effort ?? DEFAULT}.`] };
  },
};

/** The efforts of the current model; all of them if its efforts are unknown. */
async function offeredEfforts({ engine, models }: CommandContext): Promise<readonly string[]> {
  const offers = (await models.describe?.()) ?? [];
  const { model } = engine.state;
  return offers.find((offer) => offer.model === model || offer.name === model)?.efforts ?? EFFORTS;
}
