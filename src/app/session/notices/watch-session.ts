import type { Command } from "../../../contracts/command.ts";
import type { EventEnvelope } from "../../../contracts/event.ts";
import type { Hooks } from "../../../contracts/hook.ts";
import type { Authorize } from "../../../contracts/permission.ts";
import type { Provider } from "../../../contracts/provider.ts";
import type { SpendSource } from "../../../contracts/spend.ts";
import type { Telemetry } from "../../../services/telemetry/create-telemetry.ts";
import type { DebugLog } from "../../../services/telemetry/debug-log/create-debug-log.ts";

/**
 * Observes a session from outside: telemetry and the debug log. Without an observer, each part is returned unchanged.
 */
export type SessionWatch = {
  /** Attributes the requests of an already watched provider to this source only. */
  provider(provider: Provider, source: SpendSource): Provider;
  /** For permission engines when they are made: each of their verdicts is then observed once. */
  decisions(authorize: Authorize): Authorize;
  hooks(hooks: Hooks): Hooks;
  command(command: Command): Command;
  /** Follows the events of an engine until it closes. */
  follow(engine: { subscribe(listener: (envelope: EventEnvelope) => void): unknown }): void;
};

export function watchSession(telemetry: Telemetry | undefined, log: DebugLog | undefined): SessionWatch {
  const plain = new WeakMap<Provider, Provider>();
  return {
    provider: (given, source) => {
      const provider = plain.get(given) ?? given;
      const told = telemetry?.watchProvider(provider, source) ?? provider;
      const watched = log?.watchProvider(told, source) ?? told;
      plain.set(watched, provider);
      return watched;
    },
    decisions: (authorize) => {
      const told = telemetry?.watchDecisions(authorize) ?? authorize;
      return log?.watchDecisions(told) ?? told;
    },
    hooks: (hooks) => log?.watchHooks(hooks) ?? hooks,
    command: (command) => log?.watchCommand(command) ?? command,
    follow: (engine) => {
      if (telemetry) engine.subscribe(telemetry.observe);
      if (log) engine.subscribe(log.observe);
    },
  };
}
