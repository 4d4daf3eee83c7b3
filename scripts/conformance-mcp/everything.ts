import { reply, type ScenarioRequest, toolUse } from "@quoll/model-twin/scenario";
import { BUILTIN_COMMANDS } from "../../src/commands/builtin-commands.ts";
import type { Engine } from "../../src/contracts/engine.ts";
import type { Question, Reply } from "../../src/contracts/question.ts";
import { oneProcess, sessionIn } from "../../tests/support/app-harness.ts";
import { eventually } from "../../tests/support/eventually.ts";
import { tempProject } from "../../tests/support/temp-project.ts";

type Check = { readonly name: string; readonly isPassed: boolean; readonly detail: string };
type Transport = "stdio" | "http";

const NEVER = new AbortController().signal;
const PORT = 38_471;

/** Uses every feature of the reference server in a session with a person. @returns one entry a feature. */
export async function playEverything(node: string, program: string, transport: Transport): Promise<readonly Check[]> {
  await using server = await startServer(node, program, transport);
  await using here = await oneProcess(obeying);
  await using project = await tempProject({ "a.txt": "A\n" });
  const mcp = { configs: [JSON.stringify({ mcpServers: { everything: server.entry } })], inProcess: [] };
  const config = { answerer: "person", mcp, allow: ["mcp__everything"] } as const;
  const { session, events } = await sessionIn(here.app, project.dir, config, {
    commands: { builtin: BUILTIN_COMMANDS },
  });
  const { engine } = session.main;
  answerYes(engine);
  const call = async (name: string, input: object = {}) => {
    await engine.submit({ prompt: `${name} ${JSON.stringify(input)}` });
    return JSON.stringify(here.twin.requests.at(-1)?.body);
  };
  const own = (name: string, input: object = {}) => call(`mcp__everything__${name}`, input);
  const checks: Check[] = [];
  const check = async (name: string, wanted: RegExp, run: () => Promise<string>) => {
    const text = await run().catch((error: unknown) => String(error));
    checks.push({ name, isPassed: wanted.test(text), detail: text.slice(-300) });
  };
  try {
    await check("instructions", /<mcp-instructions>/, () => own("echo", { message: "hi" }));
    await check("tools", /The sum of 2 and 3 is 5/, () => own("get-sum", { a: 2, b: 3 }));
    await check("structured results", /conditions/, () => own("get-structured-content", { location: "New York" }));
    await check("images", /"media_type":"image\/png"/, () => own("get-tiny-image"));
    await check("resource links", /link to a resource/, () => own("get-resource-links", { count: 2 }));
    await check("embedded resources", /\[resource demo:/, () =>
      own("get-resource-reference", { resourceType: "Text", resourceId: 1 }),
    );
    await check("annotations", /Error: Operation failed/, () => own("get-annotated-message", { messageType: "error" }));
    await check("progress", /^[1-9]/, async () => {
      const long = { duration: 1, steps: 3 };
      await own("trigger-long-running-operation", long);
      return String(events.filter(({ event }) => event.type === "tool_progress").length);
    });
    await check("roots", new RegExp(project.dir), () => own("get-roots-list"));
    await check("sampling", /LLM sampling result/, () =>
      own("trigger-sampling-request", { prompt: "hello", maxTokens: 50 }),
    );
    await check("elicitation", /User provided the requested information/i, () => own("trigger-elicitation-request"));
    await check("resources", /demo:\/\/resource/, () => call("ListMcpResources"));
    const uri = "demo://resource/dynamic/text/1";
    await check("reading a resource", /Resource 1/, () => call("ReadMcpResource", { server: "everything", uri }));
    await check("attaching a resource", /which the user attached/, async () => {
      await engine.submit({ prompt: `See @everything:${uri}` });
      return JSON.stringify(here.twin.requests.at(-1)?.body);
    });
    await check("subscriptions", /A resource that you read has changed/, async () => {
      await own("toggle-subscriber-updates");
      await call("ReadMcpResource", { server: "everything", uri });
      await new Promise((resolve) => setTimeout(resolve, 6_000));
      return own("echo", { message: "again" });
    });
    await check("prompts", /What's weather in Oslo/, async () =>
      JSON.stringify(await session.commands.run("/mcp__everything__args-prompt Oslo", NEVER)),
    );
    await check("logging", /^[1-9]/, async () => {
      await own("toggle-simulated-logging");
      const warnings = () => session.servers.client?.states[0]?.warnings?.length ?? 0;
      await eventually("a warning", () => warnings() > 0, 40_000).catch(() => undefined);
      return String(warnings());
    });
  } finally {
    await session.close();
  }
  return checks;
}

function answerYes({ questions }: Pick<Engine, "questions">): void {
  const asked = new Set<string>();
  questions.subscribe(() => {
    for (const question of questions.pending) {
      if (asked.has(question.id)) continue;
      asked.add(question.id);
      queueMicrotask(() => questions.reply(question.id, yesTo(question)));
    }
  });
}

/** Calls the tool that the prompt names, and says nothing of the result. */
function obeying({ body }: ScenarioRequest) {
  const { messages } = body as { messages: { content: { type: string; text?: string }[] }[] };
  const last = messages.at(-1)?.content.at(-1);
  const [, name = "", input = "{}"] = /(?:^|\n)((?:mcp__|[A-Z])[\w-]+) (\{.*\})$/.exec(last?.text ?? "") ?? [];
  return name === "" ? reply("Done.") : reply([toolUse(name, JSON.parse(input))]);
}

/** The first yes that needs no typing. */
function yesTo({ body }: Question): Reply {
  const choices = body.kind === "form" ? body.choices : [];
  const first = choices.find(({ isYes, isTyped }) => isYes && !isTyped) ?? choices.find(({ isYes }) => isYes);
  if (!first) return { decision: "once" };
  return first.isTyped ? { decision: "text", text: "a@b.co" } : { decision: "chosen", value: first.value };
}

async function startServer(node: string, program: string, transport: Transport) {
  if (transport === "stdio")
    return { entry: { command: node, args: [program] }, [Symbol.asyncDispose]: async () => undefined };
  const env = { ...process.env, PORT: String(PORT) };
  const child = Bun.spawn([node, program, "streamableHttp"], { env, stdout: "ignore", stderr: "pipe" });
  const url = `http://127.0.0.1:${PORT}/mcp`;
  await eventually(
    "the server's port",
    () =>
      fetch(url).then(
        () => true,
        () => false,
      ),
    20_000,
  );
  return {
    entry: { type: "http", url },
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}
