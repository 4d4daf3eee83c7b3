import { oneLine } from "@quoll/terminal-text/one-line";
import { revealText } from "@quoll/terminal-text/plain-text";
import { plural } from "@quoll/terminal-text/plural";
import type { McpElicitation, McpElicitationReply } from "../../../contracts/mcp.ts";
import type { Asker, FormChoice, NewQuestion, Reply } from "../../../contracts/question.ts";
import { type FieldValue, type FormField, formFields } from "./form-fields.ts";
import { readValue } from "./read-value.ts";

const MAX_NAME_COLUMNS = 40;
const MAX_VALUE_COLUMNS = 60;
const MAX_HOST_CHARS = 40;
/** Of a server's own text. */
const MAX_MESSAGE_LINES = 10;
const MAX_MESSAGE_CHARS = 700;
/** More choices are typed. */
const MAX_SHOWN_OPTIONS = 7;
const BACK = { value: "back", label: "back to the previous field", isYes: false } as const;
const DECLINE = { value: "decline", label: "decline", isYes: false } as const;
const FORM_REASON = "The server gets your answer; Quoll does not know why it asks.";
const NO_BROWSER = "No browser could be opened: open the address yourself.";
const SECRET_WARNING = "It seems to ask for a password or a key. A server must not ask for one in a form.";

type Deps = {
  readonly asker: Asker;
  /** @returns false if no browser could be opened. */
  openPage(url: string): boolean;
};
/** The answer to a field; `leave`: ends the whole form; `back`: asks the previous field again. */
type Given = { readonly value: FieldValue | undefined } | { readonly leave: McpElicitationReply } | "back";
type Answers = Readonly<Record<string, FieldValue>>;

/**
 * Asks a person on behalf of a server: the fields of a form one after another, or whether to open a page. Esc cancels,
 * "decline" declines. Never rejects.
 */
export function elicitPerson(deps: Deps) {
  return (request: McpElicitation, signal: AbortSignal): Promise<McpElicitationReply> =>
    request.mode === "url" ? askForPage(request, deps, signal) : askForForm(request, deps, signal);
}

async function askForForm(request: McpElicitation, { asker }: Deps, signal: AbortSignal): Promise<McpElicitationReply> {
  const fields = formFields(request.requestedSchema ?? {}, request.message);
  if (fields.length === 0) {
    const choices = [{ value: "accept", label: "accept", isYes: true }, DECLINE];
    return settled(await ask({ request, choices }, asker, signal)) ?? { action: "accept", content: {} };
  }
  let content: Answers = {};
  let at = 0;
  for (;;) {
    const field = fields[at];
    const given = field
      ? await askForField({ request, field: withAnswer(field, content), at, count: fields.length }, asker, signal)
      : await askToSend({ request, fields, content }, asker, signal);
    if (given === "back") at -= 1;
    else if ("leave" in given) return given.leave;
    else if (!field) return { action: "accept", content };
    else {
      const { [field.name]: _, ...others } = content;
      content = given.value === undefined ? others : { ...others, [field.name]: given.value };
      at += 1;
    }
  }
}

/** The field with the earlier answer as its default, for a person who returned to it. */
function withAnswer<Field extends FormField>(field: Field, content: Answers): Field {
  const answer = content[field.name];
  return answer === undefined ? field : { ...field, default: answer };
}

type Form = { readonly request: McpElicitation; readonly fields: readonly FormField[]; readonly content: Answers };

/** Asks for confirmation before a form of several fields is sent. */
async function askToSend({ request, fields, content }: Form, asker: Asker, signal: AbortSignal): Promise<Given> {
  if (fields.length === 1) return { value: undefined };
  const choices = [{ value: "accept", label: "send", isYes: true }, BACK, DECLINE];
  const lines = fields.map((field) => `${field.title}: ${shownValue(content[field.name], field)}`);
  const reply = await ask({ request, choices, lines }, asker, signal);
  if (isBack(reply)) return "back";
  const left = settled(reply);
  return left ? { leave: left } : { value: undefined };
}

function isBack(reply: Reply): boolean {
  return reply.decision === "chosen" && reply.value === BACK.value;
}

type FieldRequest = {
  readonly request: McpElicitation;
  readonly field: FormField;
  /** The field's index. */
  readonly at: number;
  readonly count: number;
};

async function askForField(
  { request, field, at, count }: FieldRequest,
  asker: Asker,
  signal: AbortSignal,
): Promise<Given> {
  const choices = fieldChoices(field, at > 0);
  let problem: string | undefined;
  for (;;) {
    const lines = fieldLines(field, `${at + 1} of ${count}`);
    const hazards = field.isSecret ? [SECRET_WARNING] : [];
    const reply = await ask({ request, choices, lines, hazards, problem }, asker, signal);
    if (isBack(reply)) return "back";
    const left = settled(reply);
    if (left) return { leave: left };
    if (reply.decision === "text") {
      const read = readValue(reply.text, field);
      if ("value" in read) return read;
      ({ problem } = read);
    } else if (reply.decision === "chosen") return chosenValue(reply.value, field);
  }
}

/** A choice's value: `=` and the value, `default`, or `empty`. */
function chosenValue(chosen: string, field: FormField): Given {
  if (chosen === "default") return { value: field.default };
  if (chosen === "empty") return { value: undefined };
  const value = chosen.slice(1);
  return { value: field.kind === "yesno" ? value === "true" : value };
}

function fieldChoices(field: FormField, isBackOffered: boolean): readonly FormChoice[] {
  const own = ownChoices(field);
  const isOffered = own.some(({ value }) => value === `=${String(field.default)}`);
  const first =
    field.default === undefined || isOffered
      ? []
      : [{ value: "default", label: `use ${shownValue(field.default, field)}`, isYes: true }];
  const typed =
    own.length === 0
      ? [{ value: "type", label: "type an answer", isYes: true, isTyped: true, ...prefillOf(field) }]
      : [];
  const empty = field.isRequired ? [] : [{ value: "empty", label: "leave empty", isYes: true }];
  // The default comes first, so that Enter chooses it.
  const sorted = own.toSorted((a, b) => Number(isDefault(b, field)) - Number(isDefault(a, field)));
  return [...first, ...sorted, ...typed, ...empty, ...(isBackOffered ? [BACK] : []), DECLINE];
}

/** The default of a text or number; a text that is not a plain line is offered only as a choice. */
function prefillOf({ kind, default: own }: FormField): { readonly prefill?: string } {
  if ((kind !== "text" && kind !== "number") || own === undefined) return {};
  const prefill = String(own);
  return prefill === oneLine(prefill, MAX_VALUE_COLUMNS) ? { prefill } : {};
}

function ownChoices(field: FormField): readonly FormChoice[] {
  if (field.kind === "yesno")
    return [
      { value: "=true", label: "yes", isYes: true },
      { value: "=false", label: "no", isYes: true },
    ];
  if (field.kind !== "one" || field.options.length > MAX_SHOWN_OPTIONS) return [];
  return field.options.map(({ value, title }) => ({ value: `=${value}`, label: title, isYes: true }));
}

function isDefault({ value }: FormChoice, field: FormField): boolean {
  return value === `=${String(field.default)}`;
}

function fieldLines(field: FormField, place: string): readonly string[] {
  const { title, description, isRequired, kind } = field;
  const head = `${place} · ${title}${isRequired ? "" : " (may be empty)"}`;
  const listed =
    kind === "some" || (kind === "one" && field.options.length > MAX_SHOWN_OPTIONS)
      ? field.options.map(({ title: name }, at) => `  ${at + 1}. ${name}`)
      : [];
  const hint = kind === "some" ? ["Type the names or numbers, with commas between them."] : [];
  return [head, ...(description === undefined ? [] : [description]), ...listed, ...hint];
}

async function askForPage(
  request: McpElicitation,
  { asker, openPage, problem }: Deps & { readonly problem?: string },
  signal: AbortSignal,
): Promise<McpElicitationReply> {
  const { url = "" } = request;
  const address = URL.canParse(url) ? new URL(url) : undefined;
  const isPage = address?.protocol === "https:" || address?.protocol === "http:";
  if (!address || !isPage) return { action: "decline" };
  const host = shownHost(address.host);
  const choices = [
    { value: "open", label: "open it in the browser", isYes: true },
    { value: "opened", label: "I open it myself", isYes: true },
    DECLINE,
  ];
  const about = {
    title: `Open a page of ${host}?`,
    reason: `The page is at ${host}. The MCP server ${oneLine(request.server, MAX_NAME_COLUMNS)} asks you to open it; its text may name another.`,
    lines: [`Host: ${address.host}`, `Page: ${address.href}`],
    hazards: addressHazards(address),
    // The preselected answer must not be the answer that opens a page.
    isRisky: true,
  };
  const reply = await ask({ request, choices, problem, ...about }, asker, signal);
  const left = settled(reply);
  if (left) return left;
  if (reply.decision === "chosen" && reply.value === "open" && !openPage(address.href))
    return askForPage(request, { asker, openPage, problem: NO_BROWSER }, signal);
  return { action: "accept" };
}

/** The end of a long host name shows who owns it. */
function shownHost(host: string): string {
  return host.length > MAX_HOST_CHARS ? `…${host.slice(1 - MAX_HOST_CHARS)}` : host;
}

function addressHazards({ protocol, host, username }: URL): readonly string[] {
  return [
    ...(protocol === "https:" ? [] : ["The page is not encrypted."]),
    ...(/(?:^|\.)xn--/.test(host)
      ? ["The host has foreign letters, written as xn--…, which can imitate another host."]
      : []),
    ...(username === "" ? [] : ["The address has a name before its host, which can imitate another host."]),
  ];
}

type Asking = {
  readonly request: McpElicitation;
  readonly choices: readonly FormChoice[];
  readonly lines?: readonly string[];
  readonly hazards?: readonly string[];
  readonly problem?: string | undefined;
  readonly title?: string;
  readonly reason?: string;
  readonly isRisky?: boolean;
};

function ask(asking: Asking, asker: Asker, signal: AbortSignal) {
  const { request, choices, lines = [], hazards = [], problem, title, isRisky = false } = asking;
  const { isOwn = false } = request;
  const server = oneLine(request.server, MAX_NAME_COLUMNS);
  // Quoll's lines come first: a server's text must not push them out of view, and can't be mistaken for one of them.
  const said = isOwn ? request.message : quotedText(request.message, server);
  const text = [lines.join("\n"), said].filter((part) => part !== "").join("\n\n");
  const question: NewQuestion = {
    title: title ?? (isOwn ? `About the MCP server ${server}` : `The MCP server ${server} asks you`),
    body: {
      kind: "form",
      preview: { kind: "text", text: revealText(text) },
      reason: [problem, asking.reason].filter(Boolean).join(" ") || FORM_REASON,
      ...(isRisky && { isRisky }),
      ...(hazards.length > 0 && { hazards }),
      choices,
    },
  };
  return asker.ask(question, signal);
}

/** A server's text below a line that names the server: short, indented, without runs of blank lines. */
function quotedText(message: string, server: string): string {
  const text = revealText(message).trim();
  if (text === "") return "";
  const all = text.replace(/\n(?:[^\S\n]*\n)+/g, "\n\n").split("\n");
  const kept = all.slice(0, MAX_MESSAGE_LINES).join("\n");
  const more = [
    ...(kept.length > MAX_MESSAGE_CHARS ? [plural(kept.length - MAX_MESSAGE_CHARS, "more character")] : []),
    ...(all.length > MAX_MESSAGE_LINES ? [plural(all.length - MAX_MESSAGE_LINES, "more line")] : []),
  ];
  const lines = kept.slice(0, MAX_MESSAGE_CHARS).split("\n");
  const left = more.length > 0 ? [`… ${more.join(", ")}`] : [];
  return [`The server ${server} says:`, ...lines.map((line) => `  ${line}`), ...left].join("\n");
}

/** The reply to the server if the person does not answer the question. */
function settled(reply: Reply): McpElicitationReply | undefined {
  if (reply.decision === "chosen" && reply.value === DECLINE.value) return { action: "decline" };
  return reply.decision === "chosen" || reply.decision === "text" ? undefined : { action: "cancel" };
}

function shownValue(value: FieldValue | undefined, field: FormField): string {
  const options = "options" in field ? field.options : [];
  const titleOf = (one: string) => options.find((option) => option.value === one)?.title ?? one;
  if (value === undefined) return "(empty)";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "object") return value.map(titleOf).join(", ") || "(none)";
  return oneLine(titleOf(String(value)), MAX_VALUE_COLUMNS);
}
