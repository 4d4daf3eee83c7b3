/**
 * Runs the calls of `ordinary-calls.ts` with the real tools and permissions, and answers every question like a
 * person who wants the work done ("this session" if offered). Prints `{ asked, refused, failed }` as JSON.
 * Started by `ordinary.ts` with its own environment; the project is the working folder; the arguments are settings, and
 * "agrees" if the person agrees to all confined commands when offered.
 */

import { openApp } from "../../src/app/open-app.ts";
import { openSession } from "../../src/app/session/open-session.ts";
import { decidedByText } from "../../src/contracts/decided-by.ts";
import { NO_HOOKS } from "../../src/contracts/hook.ts";
import { textOf } from "../../src/contracts/message.ts";
import { callOf, type Reply, sessionRulesOf } from "../../src/contracts/question.ts";
import { ToolRun } from "../../src/engine/tool-run.ts";
import { ORDINARY_CALLS } from "./ordinary-calls.ts";

const [settings = "{}", consent = ""] = process.argv.slice(2);
const config = {
  cwd: process.cwd(),
  answerer: "person",
  conversation: { kind: "new" },
  isSaved: false,
  model: "offline",
  settings,
  isTrusted: true,
} as const;
const session = await openSession(openApp({ version: "0.0.0" }), config, {
  startupWarning: (line) => console.error(line),
});
const { app, main, redactor } = session;
const { artifacts } = session.conversation;
const { engine, registry, permissions, workspace, toolPorts } = main;
const { clock, ids } = app;
const conversation = { append: () => "", sync: () => Promise.resolve() };
const hookCommon = () => ({ sessionId: "", transcriptPath: "", cwd: workspace.cwd, mode: permissions.mode });
const places = { conversation, artifacts, clock, redactor, cwd: () => workspace.cwd };
const deps = { tools: registry, toolPorts, permissions, ...places, hooks: NO_HOOKS, hookCommon };

const asked: string[] = [];
const seen = new Set<string>();
const unsubscribe = engine.questions.subscribe(() => {
  for (const question of engine.questions.pending) {
    if (seen.has(question.id)) continue;
    seen.add(question.id);
    const { body, title } = question;
    const command = "preview" in body && body.preview.kind === "command" ? body.preview.command : undefined;
    asked.push(`${title} ${command ?? callOf(question)?.toolName}`);
    const agrees = consent === "agrees" && body.kind === "permission" && body.consent !== undefined;
    const decision = sessionRulesOf(body).length > 0 ? "session" : "once";
    const reply: Reply = agrees ? { decision: "confined", lasts: "session" } : { decision };
    queueMicrotask(() => engine.questions.reply(question.id, reply));
  }
});

const refused: string[] = [];
const failed: string[] = [];
for (const [name, input] of ORDINARY_CALLS) {
  const title = `${name} ${JSON.stringify(input)}`;
  const run = new ToolRun(
    ids.next(),
    deps,
    (event) => {
      if (event.type === "permission_denied") refused.push(`${title}: ${decidedByText(event.denial.decidedBy)}`);
    },
    new AbortController().signal,
  );
  run.offer({ type: "tool_use", id: ids.next(), name, input });
  const [result] = await run.finish();
  if (result?.isError) failed.push(`${title}: ${textOf(result.content).slice(0, 300)}`);
}
unsubscribe();
await session.close();
console.log(JSON.stringify({ asked, refused, failed }));
process.exit();
