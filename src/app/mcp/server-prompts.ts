import type { Command } from "../../contracts/command.ts";
import type { CommandResult } from "../../contracts/command-result.ts";
import { errorMessage } from "../../contracts/errors.ts";
import type { McpPrompt } from "../../contracts/mcp.ts";
import type { Redactor } from "../../contracts/ports.ts";
import type { SourcedRegistry } from "../../contracts/registry.ts";
import type { McpClient } from "../../services/mcp/mcp-client.ts";
import { argumentHint, type NamedPrompt, promptArguments } from "../../services/mcp/prompts/prompt-arguments.ts";

type Prompts = Pick<McpClient, "prompts" | "getPrompt" | "completeArgument" | "onChanged" | "states">;

type Offering = {
  readonly client: Prompts;
  readonly registry: SourcedRegistry<Command>;
  redactor(): Promise<Pick<Redactor, "redact">>;
  notify(line: string): void;
};

/** Offers the prompts of servers as commands, `/mcp__server__prompt`, always following the servers' current lists. */
export function offerPrompts({ client, registry, redactor, notify }: Offering): void {
  const offered = new Map<string, readonly NamedPrompt[]>();
  const offer = () => {
    const now = Map.groupBy(client.prompts(), ({ prompt }) => prompt.server);
    for (const server of new Set([...now.keys(), ...offered.keys()])) {
      const prompts = now.get(server) ?? [];
      if (isSame(prompts, offered.get(server) ?? [])) continue;
      offered.set(server, prompts);
      try {
        registry.set(
          { kind: "mcp", name: server },
          prompts.map((prompt) => promptCommand(prompt, { client, redactor })),
        );
      } catch (error) {
        notify(errorMessage(error));
      }
    }
  };
  offer();
  client.onChanged(offer);
}

function isSame(some: readonly NamedPrompt[], others: readonly NamedPrompt[]): boolean {
  return some.length === others.length && some.every(({ prompt }, at) => prompt === others[at]?.prompt);
}

function promptCommand(
  { command: name, prompt }: NamedPrompt,
  { client, redactor }: Pick<Offering, "client" | "redactor">,
): Command {
  const hint = argumentHint(prompt);
  const ask = async (values: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Prompted> => {
    const { prompt: text, attachments } = await client.getPrompt(prompt, values, signal);
    const { redact } = await redactor();
    const hidden = attachments?.map((block) =>
      block.type === "text" ? { ...block, text: redact(block.text) } : block,
    );
    return { kind: "prompt", prompt: redact(text), ...(hidden && { attachments: hidden }) };
  };
  return {
    name,
    summary: prompt.description ?? `The prompt ${prompt.name} of the MCP server ${prompt.server}`,
    ...(hint !== undefined && { argumentHint: hint }),
    async run(argument, _, signal) {
      const values = promptArguments(argument, prompt);
      const missing = prompt.arguments.find((one) => one.isRequired && values[one.name] === undefined);
      return missing ? formOf(prompt, { name, values, ask, client }) : ask(values, signal);
    },
  };
}

type Asking = {
  readonly name: string;
  readonly values: Readonly<Record<string, string>>;
  readonly client: Pick<Prompts, "completeArgument">;
  ask(values: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Prompted>;
};
type Prompted = Extract<CommandResult, { readonly kind: "prompt" }>;

/** Makes a form for the arguments that were not typed. */
function formOf(prompt: McpPrompt, { name, values, ask, client }: Asking): CommandResult {
  const open = prompt.arguments.filter((one) => values[one.name] === undefined);
  const labelOf = ({ name: own, description, isRequired }: McpPrompt["arguments"][number]) =>
    [own, isRequired ? undefined : "(may be empty)", description && `– ${description}`].filter(Boolean).join(" ");
  return {
    kind: "form",
    title: `/${name}`,
    fields: open.map((one) => ({
      name: one.name,
      label: labelOf(one),
      ...(!one.isRequired && { isOptional: true }),
      suggest: (value, given, signal) =>
        client.completeArgument(prompt, { name: one.name, value, known: filled({ ...values, ...given }) }, signal),
    })),
    lines: [`/${name} needs arguments: /${name} ${argumentHint(prompt)}`],
    async submit(given, signal) {
      const all = filled({ ...values, ...given });
      const words = Object.values(all).map((value) => (/\s/.test(value) ? JSON.stringify(value) : value));
      return { ...(await ask(all, signal)), typed: [`/${name}`, ...words].join(" ") };
    },
  };
}

function filled(values: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""));
}
