/**
 * A server without the protocol's library, so that it may do what the library would not: `raw-server.ts BEHAVIOUR`.
 * One JSON-RPC message a line. The file that QUOLL_TEST_LOG names records the received messages.
 */
import { appendFileSync, existsSync, writeFileSync, writeSync } from "node:fs";
import { createInterface } from "node:readline";

type Message = { id?: number; method?: string; params?: Record<string, unknown>; result?: unknown };

const [behaviour = "plain", file = ""] = process.argv.slice(2);
const log = process.env["QUOLL_TEST_LOG"];
let calls = 0;

function send(message: object): void {
  const text = `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
    }
  }
}

const echo = {
  name: "echo",
  description: "Says it again.",
  inputSchema: { type: "object", properties: { text: { type: "string" } } },
};

function pageOf(params: Record<string, unknown> = {}): object {
  switch (behaviour) {
    case "pages": {
      const page = Number(params["cursor"] ?? 0);
      const tools = Array.from({ length: 50 }, (_, index) => ({ ...echo, name: `tool_${page * 50 + index}` }));
      return { tools, ...(page < 5 && { nextCursor: String(page + 1) }) };
    }
    case "round-cursor":
      return { tools: [{ ...echo, name: `from_${params["cursor"] ?? "start"}` }], nextCursor: "again" };
    case "growing":
      return { tools: calls === 0 ? [echo] : [echo, { ...echo, name: "later" }] };
    case "structured":
      return { tools: [{ ...echo, outputSchema: { type: "object", properties: { sum: { type: "number" } } } }] };
    case "marked": {
      const _meta = { "anthropic/alwaysLoad": true };
      return { tools: Array.from({ length: 20 }, (_, index) => ({ ...echo, name: `t${index}`, _meta })) };
    }
    case "odd-tools":
      return { tools: [echo, { description: "no name" }, { ...echo, description: "a second" }, 7] };
    default:
      return { tools: [echo] };
  }
}

function answerCall({ id, params }: Message) {
  calls += 1;
  const { text } = (params?.["arguments"] ?? {}) as { text?: string };
  const result = (value: string) => send({ id, result: { content: [{ type: "text", text: value }] } });
  const token = (params?.["_meta"] as { progressToken?: number } | undefined)?.progressToken;
  const progress = (count: number) =>
    send({
      method: "notifications/progress",
      params: { progressToken: token, progress: count, total: 3, message: "working" },
    });
  switch (behaviour) {
    case "silent-call":
      return;
    case "ignores-cancel":
      if (calls > 1) return result(text ?? "");
      late = () => result("the late answer");
      return;
    case "progress":
      progress(1);
      progress(2);
      return;
    case "dies-in-call":
      if (file !== "" && existsSync(file)) return result("alive again");
      writeFileSync(file, "");
      process.stderr.write("segmentation imagined\n");
      process.exit(3);
      return;
    case "huge":
      return result("x".repeat(20_000_000));
    case "growing":
      send({ method: "notifications/tools/list_changed" });
      return result("there is more now");
    case "structured":
      send({ id, result: { content: [], structuredContent: { sum: text === "good" ? 4 : "four" } } });
      return;
    case "logs":
      for (const [level, data] of [
        ["info", "all is well"],
        ["warning", { disk: "almost full" }],
        ["error", "it is\nfull"],
      ])
        send({ method: "notifications/message", params: { level, logger: "store", data } });
      return result("logged");
    case "updates":
      for (const uri of ["r://never-read", "r://read"])
        send({ method: "notifications/resources/updated", params: { uri } });
      return result("");
    case "stray-ids":
      send({ id: 99_999, result: {} });
      send({ id: "never", error: { code: 1, message: "asked by nobody" } });
      result(text ?? "");
      result("a second answer");
      return;
    case "refuses":
      send({ id, error: { code: -32602, message: "no such colour" } });
      return;
    case "needs-page": {
      needed += 1;
      if (needed > 1) return result("done");
      const elicitation = { mode: "url", elicitationId: "e1", url: "https://shop.example/pay", message: "Pay first." };
      send({ id, error: { code: -32042, message: "Pay first.", data: { elicitations: [elicitation] } } });
      // As long as a person takes.
      setTimeout(() => send({ method: "notifications/elicitation/complete", params: { elicitationId: "e1" } }), 100);
      return;
    }
    case "odd-result":
      send({ id, result: "just text" });
      return;
    case "asks":
      send({ id: 900, method: "roots/list" });
      send({
        id: 901,
        method: "elicitation/create",
        params: { message: "Your name?", requestedSchema: { type: "object", properties: {} } },
      });
      send({ id: 902, method: "sampling/createMessage", params: { messages: [], maxTokens: 5 } });
      answers.done = () => result(JSON.stringify(answers.seen));
      return;
    case "follows-roots":
      answers.roots = () => send({ id: 900, method: "roots/list" });
      send({ id: 900, method: "roots/list" });
      return result("asked");
    case "asks-much":
      for (let at = 0; at < 30; at += 1) {
        const requestedSchema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
        send({ id: 1_000 + at, method: "elicitation/create", params: { message: `Name ${at}?`, requestedSchema } });
      }
      // The call itself has no answer: it waits for those of the person.
      return;
    case "environment":
      return result(JSON.stringify(process.env));
    case "unicode":
      return result(`${text} · \u65e5\u672c\u8a9e \ud83d\udc69\u200d\ud83d\udcbb \ud800`);
    default:
      return result(text ?? "");
  }
}

let needed = 0;
let late = () => {};
const answers: { seen: Record<string, unknown>; done?: () => void; roots?: () => void } = { seen: {} };

function handle(message: Message) {
  if (log) appendFileSync(log, `${JSON.stringify(message)}\n`);
  const { id, method } = message;
  if (method === undefined) {
    answers.seen[String(id)] = "result" in message ? message.result : (message as { error?: unknown }).error;
    if (Object.keys(answers.seen).length === 3) answers.done?.();
    return;
  }
  if (method === "notifications/cancelled") late();
  if (method === "notifications/roots/list_changed") answers.roots?.();
  if (id === undefined) return;
  if (behaviour === "never-answers") return;
  if (behaviour === "no-list" && method === "tools/list") return;
  if (method === "initialize") {
    if (behaviour === "old-protocol")
      return send({
        id,
        result: { protocolVersion: "1999-01-01", capabilities: {}, serverInfo: { name: "old", version: "0" } },
      });
    const logging = behaviour === "logs" ? { logging: {} } : {};
    const hasResources = behaviour === "updates" || behaviour === "resources";
    const resources = hasResources ? { resources: { subscribe: true } } : {};
    const completions = behaviour.startsWith("completes") ? { completions: {} } : {};
    const more = { ...logging, ...resources, ...completions };
    const capabilities = behaviour === "no-tools" ? {} : { tools: { listChanged: true }, ...more };
    const serverInfo = { name: "raw", version: "1.2.3" };
    return send({ id, result: { protocolVersion: "2025-06-18", capabilities, serverInfo, instructions: "Be kind." } });
  }
  if (method === "completion/complete") {
    const values = [
      "good",
      7,
      "two\nlines",
      "x".repeat(5_000),
      "good",
      ...Array.from({ length: 500 }, (_, at) => `v${at}`),
    ];
    if (behaviour === "completes") send({ id, result: { completion: { values } } });
    return;
  }
  if (method === "resources/list" && behaviour === "resources")
    return send({ id, result: { resources: [{ uri: "r://one", name: "one" }] } });
  if (method === "resources/read" && behaviour === "silent-read") return;
  if (method === "resources/read") return send({ id, result: { contents: [] } });
  if (method === "tools/list") return send({ id, result: pageOf(message.params) });
  if (method === "tools/call") return answerCall(message);
  send({ id, error: { code: -32601, message: "Method not found" } });
}

if (behaviour === "dies-at-start") {
  process.stderr.write("Error: the \u001b[31mdatabase\u001b[0m is not there\n    at connect (db.js:1:1)\n");
  process.exit(7);
}
if (behaviour === "wants-variable") {
  process.stderr.write("fatal: MY_API_TOKEN is not set\n");
  process.exit(1);
}
if (behaviour === "leaks" || behaviour === "asks-much") {
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => undefined);
  const children = [
    ["sleep", "600"],
    ["setsid", "sleep", "600"],
  ].map((command) => Bun.spawn(command).pid);
  if (log) appendFileSync(log, `${JSON.stringify({ pids: [process.pid, ...children] })}\n`);
}
if (behaviour === "rubbish") {
  process.stdout.write("Starting up...\n{not json\n\n42\n\u0000\u0001\n");
  process.stdout.write(Buffer.from([0xff, 0xfe, 0x0a]));
}
if (behaviour === "endless-line") {
  const chunk = "x".repeat(1_000_000);
  for (let count = 0; count < 10; count += 1) process.stdout.write(chunk);
}
// A plain server goes when nobody talks with it any more; this one is told by signals only.
if (behaviour === "leaks" || behaviour === "never-answers") setInterval(() => undefined, 60_000);
createInterface({ input: process.stdin }).on("line", (line) => {
  // An answer could come between two pieces of the line, and end it.
  if (behaviour !== "endless-line") handle(JSON.parse(line));
});
