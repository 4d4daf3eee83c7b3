import type { Scenario } from "@quoll/model-twin/scenario";
import { BUILTIN_COMMANDS } from "../../src/commands/builtin-commands.ts";
import type { SessionConfig } from "../../src/contracts/session-config.ts";
import { oneProcess, sessionIn } from "./app-harness.ts";
import { tempProject } from "./temp-project.ts";

type Hook = Readonly<Record<string, unknown>>;
/** A hook of settings; a command unless it says otherwise. */
export const on = (event: string, hook: Hook, matcher?: string) => ({
  [event]: [{ matcher, hooks: [{ type: "command", ...hook }] }],
});
/** A command that prints a value as JSON. */
export const json = (value: object) => `printf '%s' '${JSON.stringify(value)}'`;

/** A session whose settings have these hooks, given on the command line. */
export async function playing(
  hooks: object,
  more: Partial<SessionConfig> = {},
  scenario?: Scenario,
  files: Readonly<Record<string, string>> = {},
) {
  const commands = { builtin: BUILTIN_COMMANDS };
  const here = await oneProcess(scenario);
  const place = await tempProject({ "a.txt": "hello\n", ...files });
  const config = { settings: JSON.stringify({ hooks }), allow: ["Bash(*)"], ...more };
  const opened = await sessionIn(here.app, place.dir, config, { commands });
  const { session, events, warnings } = opened;
  const notices = () => events.flatMap(({ event }) => (event.type === "notice" ? [event.message] : []));
  const results = () =>
    events.flatMap(({ event }) => (event.type === "tool_finished" ? [JSON.stringify(event.result.content)] : []));
  return {
    here,
    place,
    session,
    events,
    warnings,
    notices,
    results,
    say: async (prompt: string) => session.main.engine.submit({ prompt }),
    async [Symbol.asyncDispose]() {
      await session.close();
      await place[Symbol.asyncDispose]();
      await here[Symbol.asyncDispose]();
    },
  };
}
