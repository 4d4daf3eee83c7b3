/**
 * Runs the calls of `ordinary-calls.ts` through the real tools and permissions, answering every question as a
 * person who wants the work done would ("this session" where it is offered). Prints `{ asked, refused, failed }` as JSON.
 * Started by `ordinary.ts` with an environment of its own; the project is the working folder; arguments are settings and whether
 * the person agrees to all confined commands where that is offered ("agrees").
 */
import { wire } from "../../src/cli/wire.ts";
import { NO_HOOKS } from "../../src/contracts/hook.ts";
import { textOf } from "../../src/contracts/message.ts";
import type { Reply } from "../../src/contracts/permission.ts";
import { ToolRun } from "../../src/engine/run-tools.ts";
import { unsavedSessionLog } from "../../src/services/session/session-log.ts";
import { ORDINARY_CALLS } from "./ordinary-calls.ts";

const [settings = "{}", consent = ""] = process.argv.slice(2);
const options = { sessionPersistence: false, outputFormat: "text", model: "offline", settings, trust: true } as const;
const wired = await wire({ options, version: "0.0.0", answerer: "person", warn: (line) => console.error(line) });
const { engine, registry, permissions, artifacts, clock, ids, workspace, redactor } = wired;
const log = unsavedSessionLog("ordinary");
const hookCommon = () => ({ sessionId: "", transcriptPath: "", cwd: workspace.cwd, mode: permissions.mode });
const places = { log, artifacts, clock, redactor, cwd: () => workspace.cwd };
const deps = { tools: registry, permissions, ...places, hooks: NO_HOOKS, hookCommon };

const asked: string[] = [];
const seen = new Set<string>();
const unsubscribe = engine.questions.subscribe(() => {
  for (const question of engine.questions.pending) {
    if (seen.has(question.id)) continue;
    seen.add(question.id);
    asked.push(
      `${question.title} ${question.preview.kind === "command" ? question.preview.command : question.toolName}`,
    );
    const agrees = consent === "agrees" && question.consent !== undefined;
    const decision = question.sessionRules.length > 0 ? "session" : "once";
    const reply: Reply = agrees ? { decision: "confined", lasts: "session" } : { decision };
    queueMicrotask(() => engine.questions.reply(question.id, reply));
  }
});

const refused: string[] = [];
const failed: string[] = [];
for (const [name, input] of ORDINARY_CALLS) {
  const title = `${name} ${JSON.stringify(input)}`;
  const run = new ToolRun(
    deps,
    (event) => {
      if (event.type === "permission_denied") refused.push(`${title}: ${event.denial.by}`);
    },
    new AbortController().signal,
  );
  run.offer({ type: "tool_use", id: ids.next(), name, input });
  const [result] = await run.finish();
  if (result?.isError) failed.push(`${title}: ${textOf(result.content).slice(0, 300)}`);
}
unsubscribe();
await wired.close();
console.log(JSON.stringify({ asked, refused, failed }));
process.exit();
