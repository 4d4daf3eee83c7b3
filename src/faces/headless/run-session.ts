import type { Engine, UserInput } from "../../contracts/engine.ts";
import { errorMessage, UserFacingError } from "../../contracts/errors.ts";
import type { EngineEvent } from "../../contracts/event.ts";
import type { Hooks } from "../../contracts/hook.ts";
import type { McpLink } from "../../contracts/mcp.ts";
import type { JsonObject, UserBlock } from "../../contracts/message.ts";
import type { Clock, Ids } from "../../contracts/ports.ts";
import { agentsRemark, wireAgents } from "./agents.ts";
import { CallInputs } from "./call-inputs.ts";
import { ControlChannel } from "./control-channel.ts";
import { answerControl, type SessionServers } from "./control-requests.ts";
import { HookCallbacks } from "./hook-callbacks.ts";
import { NO_SETUP, readInitialize, type SessionSetup } from "./initialize-request.ts";
import type { InputLine } from "./input-lines.ts";
import { MessageLines } from "./message-lines.ts";
import { type DeskDeps, QuestionDesk } from "./question-desk.ts";
import { type ClientInput, type ClientMessage, readInput } from "./read-input.ts";
import { ResultLines } from "./result-lines.ts";
import { uuidOf } from "./run-headless.ts";
import { MAX_WAITING, TurnQueue } from "./turn-queue.ts";
import type { WireLine } from "./wire-format.ts";

/** While nothing can come in any more, a line now and then finds out that nobody reads us either. */
const KEEP_ALIVE_MS = 15_000;

/** What a session is put together with. */
export type SessionPorts = { readonly hooks: Hooks; readonly link: McpLink };

/** A session that was put together. */
export type OpenSession = Pick<DeskDeps, "allow" | "setMode"> & {
  readonly engine: Engine;
  readonly mcp: SessionServers | undefined;
  readonly version: string;
  /** Agents that the command line brings; `initialize` may bring others. */
  readonly agents: SessionSetup["agents"];
  /** What the first line of a turn tells beside the session. */
  init(): WireLine;
  /** What the reply to `initialize` tells beside the agents. */
  catalogue(): WireLine;
  models(): readonly WireLine[];
  /** Decides about calls in place of the program at the other end, where a tool was named for it. */
  readonly decide?: DeskDeps["ask"];
};

export type SessionProps = {
  readonly lines: AsyncIterable<InputLine>;
  /** Called once, when it is known what the program wants. @throws {UserFacingError} something that the user can mend. */
  open(setup: SessionSetup, ports: SessionPorts): Promise<OpenSession>;
  readonly clock: Clock;
  readonly ids: Ids;
  /** `--include-partial-messages`, `--replay-user-messages`. */
  readonly partial: boolean;
  readonly replay: boolean;
  /** The first message, where the command line brings one. */
  readonly prompt?: string;
  out(text: string): void;
  err(line: string): void;
  /** Aborts when the session must end: the running turn is broken off, and what waits is dropped. */
  readonly signal: AbortSignal;
};

/**
 * Speaks with a program in lines of JSON, both ways, until it has no more to say and every turn has its result.
 * @throws {UserFacingError} the session could not be put together.
 */
export async function runSession(props: SessionProps): Promise<void> {
  const session = new StreamSession(props);
  await session.run();
}

type Running = OpenSession & { readonly firstModel: string; readonly desk: QuestionDesk };
type Steering = { readonly message: ClientMessage; readonly id: string };

class StreamSession {
  readonly #props: SessionProps;
  readonly #channel: ControlChannel;
  readonly #inputs = new CallInputs();
  readonly #hooks: HookCallbacks;
  readonly #queue = new TurnQueue();
  readonly #messages: MessageLines;
  #opening: Promise<Running> | undefined;
  #isInitialized = false;
  #agents: SessionSetup["agents"] = [];
  /** Lines of messages that came before the first turn told what session they belong to. */
  #early: WireLine[] | undefined = [];
  /** What the next message brings along. */
  #held: readonly UserBlock[] = [];
  /** The message whose turn runs. */
  #current: ClientMessage | undefined;
  #steering: readonly Steering[] = [];
  #lineNumber = 0;

  constructor(props: SessionProps) {
    const { clock, ids, partial } = props;
    this.#props = props;
    this.#channel = new ControlChannel({ clock, ids, write: (line) => this.#write(line) });
    this.#hooks = new HookCallbacks({
      channel: this.#channel,
      inputs: this.#inputs,
      words: () => this.#current?.words,
    });
    this.#messages = new MessageLines({ ids, partial });
    // Looked at only while lines are read; afterwards `#opening` says the same.
    this.#failure.promise.catch(() => undefined);
  }

  async run(): Promise<void> {
    const { signal, prompt } = this.#props;
    const onStop = () => this.#stop();
    signal.addEventListener("abort", onStop, { once: true });
    const over = new AbortController();
    try {
      if (prompt !== undefined) this.#takeMessage(spoken(prompt));
      await this.#read();
      // Whoever waits for an answer waits in vain now; what was asked for before is done all the same.
      this.#channel.close("the program at the other end has closed its side");
      this.#keepAlive(over.signal);
      await this.#queue.settled();
      await this.#opening;
      this.#flushEarly();
    } finally {
      over.abort(new Error("The session is over."));
      signal.removeEventListener("abort", onStop);
    }
  }

  /** Until there is no more, the session must end, or it could not be put together. */
  async #read(): Promise<void> {
    const lines = this.#props.lines[Symbol.asyncIterator]();
    const stopped = whenAborted(this.#props.signal);
    for (;;) {
      const next = await Promise.race([lines.next(), stopped.promise, this.#failure.promise]);
      if (next === undefined || next.done) break;
      this.#take(next.value);
    }
    stopped.dispose();
  }

  /** Rejects when the session could not be put together. */
  readonly #failure = Promise.withResolvers<undefined>();

  #take(line: InputLine): void {
    this.#lineNumber += 1;
    if (line.kind === "too_long") {
      this.#complain(`it has ${line.bytes} bytes, which is more than a line may have`);
      return;
    }
    if (line.isReplaced)
      this.#remark(`Line ${this.#lineNumber} of stdin is not valid UTF-8: what could not be read was replaced.`);
    this.#dispatch(readInput(line.text));
  }

  #dispatch(input: ClientInput): void {
    switch (input.kind) {
      case "message":
        this.#takeMessage(input);
        return;
      case "control_request":
        if (this.#channel.take(input.id)) void this.#answer(input.id, input.subtype, input.request);
        return;
      case "control_response":
        this.#channel.settle(input.id, input.answer);
        return;
      case "unusable":
        if (input.id === undefined) this.#complain(input.problem);
        else this.#channel.fail(input.id, input.problem);
        return;
      default:
        return;
    }
  }

  #takeMessage(message: ClientMessage): void {
    if (!message.beginsTurn) {
      this.#held = [...this.#held, ...message.attachments, { type: "text", text: message.prompt }];
      return;
    }
    const running = this.#running;
    if (message.when === "steer" && running?.engine.state.busy) {
      this.#steering = [...this.#steering, { message, id: running.engine.enqueue(this.#input(message), "steer") }];
      return;
    }
    if (!this.#queue.add(this.#turn(message))) this.#complain(`${MAX_WAITING} inputs wait already: it was not taken`);
  }

  #turn(message: ClientMessage) {
    return { ...(message.id !== undefined && { id: message.id }), run: () => this.#runTurn(message) };
  }

  /** Known once the session is put together. */
  #running: Running | undefined;

  #open(setup: SessionSetup): Promise<Running> {
    this.#opening ??= this.#begin(setup);
    return this.#opening;
  }

  async #begin(setup: SessionSetup): Promise<Running> {
    const link: McpLink = async (server, message, signal) => {
      const answer = await this.#channel.request({ subtype: "mcp_message", server_name: server, message }, { signal });
      const reply = answer["mcp_response"];
      return isObject(reply) ? reply : undefined;
    };
    const open = await this.#props.open(setup, { hooks: this.#hooks, link });
    const { engine } = open;
    const ask: DeskDeps["ask"] = open.decide ?? ((request, signal) => this.#channel.request(request, { signal }));
    const { allow, setMode } = open;
    const desk = new QuestionDesk({
      engine,
      inputs: this.#inputs,
      ask,
      allow,
      setMode,
      tell: (line) => this.#remark(line),
    });
    const running = { ...open, firstModel: engine.state.model, desk };
    engine.subscribe(({ event }) => this.#note(event, running));
    this.#running = running;
    return running;
  }

  #note(event: EngineEvent, { engine, desk }: Running): void {
    this.#inputs.note(event);
    desk.note(event);
    this.#results?.note(event);
    if (event.type === "turn_started" && this.#current) this.#replay(this.#current, event.message.id);
    if (event.type === "words_added" && event.by === "user") this.#replaySteering(event.message.id, event.prompt);
    for (const line of this.#messages.lines(event)) this.#tell(line);
    if (event.type === "turn_finished") this.#takeBack(engine);
  }

  #results: ResultLines | undefined;

  async #runTurn(message: ClientMessage): Promise<void> {
    let running: Running;
    try {
      running = await this.#open(NO_SETUP);
    } catch (error) {
      this.#failure.reject(error);
      return;
    }
    if (this.#props.signal.aborted) return;
    const { engine } = running;
    this.#results ??= new ResultLines(engine, this.#props.ids);
    this.#line(
      { type: "system", subtype: "init", ...running.init(), agents: this.#allAgents(running).map(({ name }) => name) },
      engine,
    );
    this.#flushEarly();
    this.#current = message;
    try {
      const report = await engine.submit(this.#input(message));
      this.#write(this.#results.line(report));
    } catch (error) {
      // No turn may be left without a word.
      this.#remark(`A turn failed: ${errorMessage(error)}`);
    } finally {
      this.#current = undefined;
    }
  }

  #input({ id, prompt, attachments }: ClientMessage): UserInput {
    const held = this.#held;
    this.#held = [];
    return { prompt, attachments: [...held, ...attachments], ...(id !== undefined && { id }) };
  }

  #allAgents({ agents }: OpenSession): SessionSetup["agents"] {
    const named = new Map([...agents, ...this.#agents].map((agent) => [agent.name, agent]));
    return [...named.values()];
  }

  async #answer(id: string, subtype: string, request: JsonObject): Promise<void> {
    if (subtype === "initialize") {
      await this.#initialize(id, request);
      return;
    }
    try {
      const running = await this.#open(NO_SETUP);
      const { engine, mcp, version, firstModel, models, setMode } = running;
      const session = { engine, mcp, version, firstModel, models, setMode, queue: this.#queue };
      this.#channel.reply(id, await answerControl(subtype, request, session));
    } catch (error) {
      this.#channel.fail(id, errorMessage(error));
      if (!this.#running) this.#failure.reject(error);
    }
  }

  async #initialize(id: string, request: JsonObject): Promise<void> {
    try {
      const { setup, remarks } = this.#readSetup(request);
      const isLate = this.#opening !== undefined && !this.#isInitialized;
      this.#isInitialized = true;
      this.#agents = setup.agents;
      const running = await this.#open(setup);
      this.#channel.reply(id, { ...running.catalogue(), agents: wireAgents(this.#allAgents(running)) });
      for (const remark of [...remarks, agentsRemark(setup.agents)]) if (remark !== undefined) this.#remark(remark);
      if (isLate) this.#remark("initialize came after the first message: only its hooks and agents were taken.");
    } catch (error) {
      this.#channel.fail(id, errorMessage(error));
      if (!this.#running) this.#failure.reject(error);
    }
  }

  /** @throws {UserFacingError} (exit 2) the request can't be understood: a session without its hooks must not begin. */
  #readSetup(request: JsonObject) {
    try {
      const setup = readInitialize(request);
      return { setup, remarks: this.#hooks.configure(setup.hooks) };
    } catch (error) {
      throw new UserFacingError(errorMessage(error), 2, { cause: error });
    }
  }

  /** What was to steer a turn that has ended begins one of its own, before all that waits. */
  #takeBack(engine: Engine): void {
    const left = this.#steering.filter(({ id }) => engine.withdraw(id) !== undefined);
    this.#steering = [];
    if (left.length > 0) this.#queue.addFirst(left.map(({ message }) => this.#turn(message)));
  }

  #replaySteering(messageId: string, prompt: string): void {
    const taken = this.#steering.find(({ message }) => message.prompt === prompt);
    this.#steering = this.#steering.filter((one) => one !== taken);
    if (taken) this.#replay(taken.message, messageId);
  }

  #replay({ raw }: ClientMessage, uuid: string): void {
    if (this.#props.replay) this.#tell({ type: "user", message: raw, parent_tool_use_id: null, isReplay: true, uuid });
  }

  #stop(): void {
    this.#queue.clear({ all: true });
    this.#running?.engine.interrupt();
  }

  #keepAlive(signal: AbortSignal): void {
    const { clock } = this.#props;
    const beat = (): Promise<void> =>
      clock.sleep(KEEP_ALIVE_MS, signal).then(() => {
        this.#write({ type: "keep_alive" });
        return beat();
      });
    beat().catch(() => undefined);
  }

  /** A line of stdin that can't be used: said to the program and on stderr, and nothing else happens. */
  #complain(problem: string): void {
    const line = `Line ${this.#lineNumber} of stdin was left out: ${problem}.`;
    this.#props.err(line);
    this.#remark(line, "warning");
  }

  #remark(content: string, level: "notice" | "warning" = "notice"): void {
    this.#tell({ type: "system", subtype: "informational", content, level });
  }

  #tell(line: WireLine): void {
    const running = this.#running;
    if (this.#early || !running) this.#early?.push(line);
    else this.#line(line, running.engine);
  }

  #flushEarly(): void {
    const early = this.#early ?? [];
    this.#early = undefined;
    const running = this.#running;
    if (running) for (const line of early) this.#line(line, running.engine);
  }

  #line(line: WireLine, { state }: Engine): void {
    this.#write({ ...line, session_id: state.sessionId, uuid: uuidOf(line, this.#props.ids) });
  }

  #write(line: WireLine): void {
    this.#props.out(`${JSON.stringify(line)}\n`);
  }
}

/** The prompt of the command line, as if it had come in a line. */
function spoken(prompt: string): ClientMessage {
  const raw = { role: "user", content: prompt };
  const how = { when: "next", beginsTurn: true } as const;
  return { kind: "message", id: undefined, words: prompt, prompt, attachments: [], ...how, raw };
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function whenAborted(signal: AbortSignal) {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const onAbort = () => resolve(undefined);
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  return { promise, dispose: () => signal.removeEventListener("abort", onAbort) };
}
