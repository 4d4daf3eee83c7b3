import { errorMessage, UserFacingError } from "../../contracts/errors.ts";
import type { TurnReport } from "../../contracts/event.ts";
import type { CallbackHooks } from "../../contracts/hook.ts";
import type { McpLink } from "../../contracts/mcp.ts";
import { isJsonObject, type JsonObject } from "../../contracts/message.ts";
import type { ProgramEvent } from "../../protocol/session-port.ts";
import { agentsByName, wireAgents } from "./agents.ts";
import { askElicitation } from "./ask-elicitation.ts";
import { CallInputs, hookCaller, notingInputs } from "./call-inputs.ts";
import { ChildDenials } from "./child-denials.ts";
import { ControlChannel } from "./control-channel.ts";
import { answerControl, type ControlledSession } from "./control-requests.ts";
import { NO_SETUP, readInitialize, type SessionSetup, whatWasTaken } from "./initialize-request.ts";
import { type InputLine, MAX_INPUT_LINE_BYTES } from "./input-lines.ts";
import { MAX_WAITING, MessageIntake } from "./message-intake.ts";
import { type BridgeDeps, PermissionBridge } from "./permission-bridge.ts";
import { type ClientInput, type ClientMessage, readInput } from "./read-input.ts";
import { remedyLine } from "./remedy-line.ts";
import { RunResults } from "./run-results.ts";
import type { OpenSession, SessionProps } from "./session-props.ts";
import { SessionWriter } from "./session-writer.ts";
import { settleAgents } from "./settle-agents.ts";
import { AgentLines } from "./subagent-lines.ts";
import { type WireLine, wireResult } from "./wire-format.ts";

/**
 * Exchanges lines of JSON with a program until stdin ends and every turn has its result.
 * @throws {UserFacingError} the session could not be opened.
 */
export async function runSession(props: SessionProps): Promise<void> {
  const session = new StreamSession(props);
  await session.run();
}

type Running = OpenSession & {
  readonly setup: SessionSetup;
  readonly first: ControlledSession["first"];
  readonly results: RunResults;
};
/** A line that needs a session. */
type Asking = ControlRequest | { readonly kind: "message"; readonly message: ClientMessage; readonly bytes: number };
type AgentEvent = Extract<ProgramEvent, { readonly type: "engine" }>;
type ControlRequest = Extract<ClientInput, { readonly kind: "control_request" }>;

class StreamSession {
  readonly #props: SessionProps;
  readonly #writer: SessionWriter;
  readonly #channel: ControlChannel;
  readonly #inputs = new CallInputs();
  readonly #hooks: CallbackHooks;
  #hookRemarks: readonly string[] = [];
  readonly #messages: AgentLines;
  readonly #denials = new ChildDenials();
  readonly #reading = Promise.withResolvers<void>();
  #isReading = true;
  #lineNumber = 0;
  /** Lines that arrived before the session was open, in order. */
  readonly #backlog: Asking[] = [];
  readonly #answers = new Set<Promise<void>>();
  #opening: Promise<void> | undefined;
  #failure: unknown;
  /** Set when the session is open. */
  #running: Running | undefined;
  #isInitialized = false;
  /** True if the conversation had no message when the current turn or command began. */
  #wasEmpty = true;
  readonly #intake: MessageIntake;

  constructor(props: SessionProps) {
    const { ids, partial } = props;
    this.#props = props;
    this.#writer = new SessionWriter(props);
    this.#channel = new ControlChannel({ ids, write: (line) => this.#writer.write(line) });
    this.#hooks = props.callbackHooks(hookCaller(this.#channel, (prompt) => this.#intake.wordsOf(prompt)));
    this.#messages = new AgentLines({ ids, partial });
    this.#intake = new MessageIntake({
      ids,
      taken: (message, id) => this.#replay(message, id),
      reportProblem: (problem) => this.#reportProblem(problem),
    });
  }

  async run(): Promise<void> {
    const { signal, prompt } = this.#props;
    const onStop = () => this.#stop();
    const over = new AbortController();
    signal.addEventListener("abort", onStop, { once: true });
    try {
      if (prompt !== undefined) this.#ask({ kind: "message", message: spoken(prompt), bytes: 0 });
      void this.#read();
      if (signal.aborted) onStop();
      await this.#reading.promise;
      // Waiting requests fail, but earlier messages are still processed.
      this.#channel.close("the program at the other end has closed its side");
      this.#writer.keepAlive(over.signal);
      await this.#opening;
      await this.#intake.settled();
      await this.#settleAgents();
      await Promise.all(this.#answers);
      if (this.#failure !== undefined && !signal.aborted) throw this.#failure;
      this.#writer.flush();
    } finally {
      this.#isReading = false;
      over.abort(new Error("The session is over."));
      signal.removeEventListener("abort", onStop);
    }
  }

  /** Since nobody can ask any more, the session waits for its background agents. */
  async #settleAgents(): Promise<void> {
    const { signal, err } = this.#props;
    if (!this.#running) return;
    const { engine, session, tasks } = this.#running;
    await settleAgents({ engine, session, agents: tasks.agents, signal, err });
  }

  async #read(): Promise<void> {
    try {
      for await (const line of this.#props.lines) {
        if (!this.#isReading) return;
        this.#take(line);
      }
    } catch (error) {
      if (this.#isReading) this.#writer.reportProblem(`stdin failed: ${errorMessage(error)}.`);
    } finally {
      this.#reading.resolve();
    }
  }

  /** Ends the session because a signal arrived, or the reader of stdout has exited. */
  #stop(): void {
    this.#isReading = false;
    this.#intake.clear({ all: true });
    this.#running?.session.send({ type: "interrupt" });
    this.#reading.resolve();
  }

  #take(line: InputLine): void {
    this.#lineNumber += 1;
    if (line.kind === "too_long") {
      this.#reportProblem(`it has ${line.bytes} bytes, more than the ${MAX_INPUT_LINE_BYTES} that a line may have`);
      return;
    }
    if (line.isReplaced)
      this.#writer.reportProblem(`Line ${this.#lineNumber} of stdin is not valid UTF-8: invalid bytes were replaced.`);
    this.#dispatch(readInput(line.text), line.text.length);
  }

  #dispatch(input: ClientInput, bytes: number): void {
    switch (input.kind) {
      case "message":
        this.#ask({ kind: "message", message: input, bytes });
        return;
      case "control_request":
        if (this.#channel.take(input.id)) this.#ask(input);
        return;
      case "control_response":
        this.#channel.settle(input.id, input.answer);
        return;
      case "unusable":
        if (input.id === undefined) this.#reportProblem(input.problem);
        else this.#channel.fail(input.id, input.problem);
        return;
      default:
        return;
    }
  }

  #reportProblem(problem: string): void {
    this.#writer.reportProblem(`Line ${this.#lineNumber} of stdin was ignored: ${problem}.`);
  }

  /** Handles a line that needs a session, in order; the first such line opens the session. */
  #ask(asking: Asking): void {
    if (this.#running) {
      this.#handle(asking, this.#running);
      return;
    }
    if (this.#backlog.length >= MAX_WAITING) this.#reportProblem(`${MAX_WAITING} lines wait already`);
    else this.#backlog.push(asking);
    this.#opening ??= this.#begin(asking);
  }

  #handle(asking: Asking, running: Running): void {
    if (asking.kind === "message") {
      // The session may have been stopped while it was opened.
      if (!this.#props.signal.aborted) this.#intake.take(asking.message, asking.bytes);
      return;
    }
    const answer: Promise<void> = this.#answer(asking, running).finally(() => this.#answers.delete(answer));
    this.#answers.add(answer);
  }

  /** Opens the session, and handles the lines that waited for it. Without a session, no line can be handled. */
  async #begin(first: Asking): Promise<void> {
    try {
      const isInitialize = first.kind === "control_request" && first.subtype === "initialize";
      const running = await this.#open(isInitialize ? this.#readSetup(first.request) : NO_SETUP, isInitialize);
      this.#running = running;
      this.#intake.open(running);
      for (const asking of this.#backlog.splice(0)) this.#handle(asking, running);
    } catch (error) {
      this.#failure = error;
      for (const asking of this.#backlog.splice(0))
        if (asking.kind === "control_request") this.#channel.fail(asking.id, errorMessage(error));
      this.#stop();
    }
  }

  async #open(setup: SessionSetup, knowsAll: boolean): Promise<Running> {
    const link: McpLink = async (server, message, signal) => {
      const answer = await this.#channel.request({ subtype: "mcp_message", server_name: server, message }, { signal });
      const reply = answer["mcp_response"];
      return isJsonObject(reply) ? reply : undefined;
    };
    const elicit = knowsAll && { elicit: askElicitation(this.#channel) };
    const open = await this.#props.open(setup, { hooks: notingInputs(this.#hooks, this.#inputs), link, ...elicit });
    const { engine, changeRules, setMode } = open;
    const ask: BridgeDeps["ask"] = open.decide ?? ((request, signal) => this.#channel.request(request, { signal }));
    const notify = (line: string) => this.#writer.remark(line);
    const desk = new PermissionBridge({
      questions: engine.questions,
      inputs: this.#inputs,
      ask,
      changeRules,
      setMode,
      notify,
    });
    engine.questions.answerWith((question, signal) => desk.answer(question, signal));
    const results = new RunResults(engine);
    const running = { ...open, setup, first: engine.state, results };
    open.session.subscribe((event) => this.#hear(event, running));
    this.#writer.opened(engine.state.sessionId);
    return running;
  }

  #hear(told: ProgramEvent, running: Running): void {
    switch (told.type) {
      case "engine":
        this.#inputs.note(told);
        this.#denials.note(told);
        if (told.parentAgentId === null) this.#note(told, running);
        else this.#writeLines(told);
        return;
      case "begun":
        this.#intake.begin(told.id);
        this.#wasEmpty = running.engine.state.messages.length === 0;
        this.#writer.begin(this.#initLine(running));
        return;
      case "operation":
        this.#writer.remark(told.progress?.text ?? told.title);
        return;
      case "answered":
        this.#finish(told.report, running);
        this.#intake.end();
    }
  }

  #writeLines(told: AgentEvent): void {
    for (const line of this.#messages.lines(told)) this.#writer.writeInTurn(line);
  }

  /** @param told An event of the session's own agent. */
  #note(told: AgentEvent, running: Running): void {
    const { event } = told;
    running.results.note(event);
    // A turn that the engine itself starts is reported like any other.
    const isOwn = this.#intake.current === undefined;
    if (event.type === "turn_started" && isOwn) this.#writer.begin(this.#initLine(running));
    this.#intake.note(event);
    this.#writeLines(told);
    if (event.type !== "turn_finished") return;
    const report = this.#denials.with(event.report);
    if (isOwn) this.#writeResult(report, running);
    this.#writeRemedy(report);
  }

  /** Ends the turn or command of a message. */
  #finish(report: TurnReport, running: Running): void {
    try {
      if (!this.#wasEmpty && running.engine.state.messages.length === 0) this.#writeReset();
      this.#writeResult(this.#denials.with(report), running);
    } catch (error) {
      // Every turn must have a result line.
      this.#writer.reportProblem(`A turn failed: ${errorMessage(error)}`);
    }
  }

  #writeResult(report: TurnReport, { results, limits }: Running): void {
    this.#writer.write(wireResult(results.of(report), { uuid: this.#props.ids.next(), limits }));
  }

  #writeRemedy({ denials }: TurnReport): void {
    const line = remedyLine(denials);
    if (line !== undefined) this.#props.err(line);
  }

  /** Reports that the conversation is cleared, so that a program's view of it is void. */
  #writeReset(): void {
    const { ids, clock } = this.#props;
    const id = this.#intake.current?.id;
    const about = { new_conversation_id: ids.next(), trigger: "clear", timestamp: new Date(clock.now()).toISOString() };
    this.#writer.writeInTurn({
      type: "conversation_reset",
      ...about,
      ...(id !== undefined && { user_message_uuid: id }),
    });
  }

  #initLine(running: Running): WireLine {
    return { type: "system", subtype: "init", ...running.init() };
  }

  async #answer({ id, subtype, request }: ControlRequest, running: Running): Promise<void> {
    try {
      if (subtype === "initialize") {
        this.#initialize(id, request, running);
        return;
      }
      this.#channel.reply(id, await answerControl(subtype, request, this.#controlled(running)));
    } catch (error) {
      this.#channel.fail(id, errorMessage(error));
    }
  }

  #controlled(running: Running): ControlledSession {
    return { ...running, queue: this.#intake, interrupt: () => running.session.send({ type: "interrupt" }) };
  }

  #initialize(id: string, request: JsonObject, running: Running): void {
    const setup = this.#readSetup(request);
    const { agents } = setup;
    const remarks = running.addAgents(agentsByName(agents));
    const taken = whatWasTaken(setup, running.setup);
    this.#channel.reply(id, { ...running.catalogue(), ...taken, agents: wireAgents(running.agents()) });
    for (const remark of [...this.#hookRemarks, ...remarks]) this.#writer.remark(remark);
    const isLate = !this.#isInitialized && running.engine.state.messages.length > 0;
    if (isLate) this.#writer.remark("initialize came after the first message: only its hooks and agents were used.");
    this.#isInitialized = true;
  }

  /** @throws {UserFacingError} (exit 2) the request has the wrong form: a session must not start without its hooks. */
  #readSetup(request: JsonObject): SessionSetup {
    try {
      const setup = readInitialize(request);
      this.#hookRemarks = this.#hooks.register(setup.hooks);
      return setup;
    } catch (error) {
      throw new UserFacingError(errorMessage(error), 2, { cause: error });
    }
  }

  #replay({ raw }: ClientMessage, uuid: string): void {
    if (!this.#props.replay) return;
    this.#writer.writeInTurn({ type: "user", message: raw, parent_tool_use_id: null, isReplay: true, uuid });
  }
}

/** The prompt of the command line, handled like a line of stdin. */
function spoken(prompt: string): ClientMessage {
  const raw = { role: "user", content: prompt };
  const how = { when: "next", beginsTurn: true } as const;
  return { kind: "message", id: undefined, words: prompt, prompt, attachments: [], ...how, raw };
}
