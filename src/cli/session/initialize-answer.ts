import type { Session } from "../../app/session/session.ts";
import { DEFAULT_STYLE } from "../../contracts/output-style.ts";
import { EFFORTS } from "../../contracts/provider.ts";
import type { WireLine } from "../../faces/headless/wire-format.ts";
import { keySource } from "./session-lines.ts";

/** The answer to a program's `initialize`, besides the agents. @param styles Names of all output styles. */
export function initializeAnswer(session: Session, styles: readonly string[]): WireLine {
  return {
    commands: commandLines(session),
    output_style: session.additions.style?.name ?? DEFAULT_STYLE,
    available_output_styles: styles,
    models: modelLines(session),
    account: { apiKeySource: keySource(session.choice), apiProvider: session.choice.provider },
  };
}

export function commandLines({ commands }: Pick<Session, "commands">): readonly WireLine[] {
  return commands.list().map(({ name, summary, argumentHint = "" }) => ({ name, description: summary, argumentHint }));
}

export function modelLimits(model: string, { catalog }: Pick<Session, "catalog">) {
  const { contextWindow, maxOutputTokens } = catalog.capabilities(model);
  return { contextWindow, maxOutputTokens };
}

/** The selectable models, aliases first. */
export function modelLines({ catalog }: Pick<Session, "catalog">): readonly WireLine[] {
  return catalog.list().map((name) => {
    const model = catalog.resolve(name);
    const { contextWindow, efforts } = catalog.capabilities(model);
    const window = `${Math.round(contextWindow / 1_000)}k tokens`;
    const levels = EFFORTS.filter((effort) => efforts.includes(effort));
    return {
      value: name,
      resolvedModel: model,
      displayName: name,
      description: model === name ? window : `${model}, ${window}`,
      ...(levels.length > 0 && { supportsEffort: true, supportedEffortLevels: levels }),
    };
  });
}
