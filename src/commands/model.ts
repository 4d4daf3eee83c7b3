import type { Command } from "../contracts/command.ts";

export const modelSpec = { name: "model", summary: "Show or change the model", argumentHint: "[name]" } as const;

/** Without a name: which model answers and which there are. With one: changes to it. */
export function modelCommand(): Command {
  return {
    ...modelSpec,
    async run(argument, { engine, models }) {
      const name = argument.trim();
      if (name !== "") {
        await engine.setModel(name);
        return { lines: [`The model is now ${engine.state.model}.`] };
      }
      const { model, providerName } = engine.state;
      const known = models.list();
      const choices = known.map((other) => ({
        label: other,
        detail: other === model ? "in use" : "",
        input: `/model ${other}`,
      }));
      return {
        lines: [
          `The model is ${model} (${providerName}).`,
          ...known.map((other) => `  ${other}${other === model ? "  in use" : ""}`),
          "`/model <name>` changes it; any id of the provider will do.",
        ],
        ...(choices.length > 0 && { choose: { title: `Model: ${model} (${providerName})`, choices } }),
      };
    },
  };
}
