import type { Opener, Text } from "./reader.ts";

/** A construct that encloses the current position. `parens` counts its open parentheses. */
type Frame = { readonly kind: "commands" | "double" | "brace" | "arithmetic" | "heredoc"; parens: number };
type Heredoc = { readonly delimiter: string; readonly stripTabs: boolean };
type State = {
  readonly source: string;
  readonly found: Opener[];
  readonly frames: Frame[];
  heredocs: Heredoc[];
  at: number;
};

const DELIMITER = /<<(-?)[ \t]*(?:'([^'\n]*)'|"([^"\n]*)"|\\?([^ \t\n;&|<>()'"]+))/y;
const BEFORE_WORD = /[ \t\n;&|()<>]/;

/**
 * Finds everything in a text that may hide or end a command. This third reading knows quotes but no grammar, and is
 * compared with the result of our reader. Linear; never throws.
 */
export function scanOpeners({ source, mode }: Pick<Text, "source" | "mode">): readonly Opener[] {
  const state: State = { source, found: [], frames: [{ kind: mode, parens: 0 }], heredocs: [], at: 0 };
  while (state.at < source.length) step(state);
  return state.found;
}

function step(state: State): void {
  const { source, at } = state;
  const frame = state.frames.at(-1) ?? { kind: "commands", parens: 0 };
  const char = source[at];
  if (char === "\\") state.at += 2;
  else if (char === "`") skipBackticks(state);
  else if (char === "$" && opensExpansion(state)) return;
  else if (frame.kind === "double") {
    if (char === '"') state.frames.pop();
    state.at += 1;
  } else if (frame.kind === "heredoc") state.at += 1;
  else if (frame.kind === "arithmetic") inArithmetic(state, frame, char);
  else if (quoted(state, frame, char)) return;
  else if (frame.kind === "brace") inBrace(state, char);
  else inCommands(state, frame, char);
}

function note(state: State, kind: Opener["kind"], length: number): void {
  state.found.push({ at: state.at, kind });
  state.at += length;
}

function opensExpansion(state: State): boolean {
  const { source, at } = state;
  if (source.startsWith("$((", at)) {
    note(state, "$(", 3);
    state.frames.push({ kind: "arithmetic", parens: 0 });
  } else if (source.startsWith("$(", at)) {
    note(state, "$(", 2);
    state.frames.push({ kind: "commands", parens: 0 });
  } else if (source.startsWith("${", at)) {
    note(state, "${", 2);
    state.frames.push({ kind: "brace", parens: 0 });
  } else return false;
  return true;
}

function skipBackticks(state: State): void {
  note(state, "`", 1);
  const { source } = state;
  while (state.at < source.length && source[state.at] !== "`") state.at += source[state.at] === "\\" ? 2 : 1;
  state.at += 1;
}

/** Quotes in commands, and in `${…}` without surrounding double quotes. */
function quoted(state: State, frame: Frame, char: string | undefined): boolean {
  const { source, at } = state;
  if (char === '"') {
    state.frames.push({ kind: "double", parens: 0 });
    state.at += 1;
    return true;
  }
  const isPlain = frame.kind === "commands" || state.frames.at(-2)?.kind === "commands";
  if (!isPlain) return false;
  if (char === "'") {
    const end = source.indexOf("'", at + 1);
    state.at = end < 0 ? source.length : end + 1;
    return true;
  }
  if (char !== "$" || source[at + 1] !== "'") return false;
  state.at += 2;
  while (state.at < source.length && source[state.at] !== "'") state.at += source[state.at] === "\\" ? 2 : 1;
  state.at += 1;
  return true;
}

function inArithmetic(state: State, frame: Frame, char: string | undefined): void {
  if (char === "(") frame.parens += 1;
  if (char === ")" && frame.parens > 0) frame.parens -= 1;
  else if (char === ")") {
    state.frames.pop();
    state.at += 1;
  }
  state.at += 1;
}

function inBrace(state: State, char: string | undefined): void {
  if (char === "}") state.frames.pop();
  state.at += 1;
}

function inCommands(state: State, frame: Frame, char: string | undefined): void {
  const { source, at } = state;
  if (char === "\n") endLine(state);
  else if (char === "#" && (at === 0 || BEFORE_WORD.test(source[at - 1] ?? ""))) state.at = lineEnd(source, at);
  else if ((char === "<" || char === ">") && source[at + 1] === "(") {
    note(state, char === "<" ? "<(" : ">(", 2);
    state.frames.push({ kind: "commands", parens: 0 });
  } else if (source.startsWith("<<<", at)) state.at += 3;
  else if (source.startsWith("<<", at)) startHeredoc(state);
  else if (source.startsWith("((", at)) {
    state.at += 2;
    state.frames.push({ kind: "arithmetic", parens: 0 });
  } else {
    if (char === "(") frame.parens += 1;
    else if (char === ")" && frame.parens > 0) frame.parens -= 1;
    else if (char === ")" && state.frames.length > 1) state.frames.pop();
    state.at += 1;
  }
}

function startHeredoc(state: State): void {
  DELIMITER.lastIndex = state.at;
  const [text, dash, single, double, plain] = DELIMITER.exec(state.source) ?? [];
  note(state, "<<", text?.length ?? 2);
  if (text !== undefined) state.heredocs.push({ delimiter: single ?? double ?? plain ?? "", stripTabs: dash === "-" });
}

/** Skips the bodies that begin after a newline: each is a separate text, or contains no code. */
function endLine(state: State): void {
  note(state, "\n", 1);
  const { source, heredocs } = state;
  state.heredocs = [];
  for (const { delimiter, stripTabs } of heredocs) {
    while (state.at < source.length) {
      const end = lineEnd(source, state.at);
      const line = source.slice(state.at, end);
      state.at = Math.min(end + 1, source.length);
      if ((stripTabs ? line.replace(/^\t+/, "") : line) === delimiter) break;
    }
  }
}

function lineEnd(source: string, from: number): number {
  const end = source.indexOf("\n", from);
  return end < 0 ? source.length : end;
}
