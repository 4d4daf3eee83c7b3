import { isJsonObject, type ToolUseBlock } from "../../../contracts/message.ts";
import { parsedJson } from "../../../contracts/parsed-json.ts";

/**
 * Parses the complete JSON of a call's input. An empty text is an empty input.
 * A text that is not a JSON object is kept, with the problem and its position.
 */
export function parseToolInput(text: string): Pick<ToolUseBlock, "input" | "malformed"> {
  if (text.trim() === "") return { input: {} };
  const value = parsedJson(text);
  if (value === undefined)
    return { input: {}, malformed: { text, problem: jsonProblem(text) ?? "it is not valid JSON" } };
  if (isJsonObject(value)) return { input: value };
  const kind = value === null ? "null" : Array.isArray(value) ? "an array" : `a ${typeof value}`;
  return { input: {}, malformed: { text, problem: `it must be a JSON object, not ${kind}` } };
}

/** JSON tokens (RFC 8259), each matched at one position. */
const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
// Written as runs between escapes, so that a string of megabytes is matched without one step per character.
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids them inside a string
const STRING = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*"/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids them inside a string
const STRING_START = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*/y;

/** Characters shown around the position. */
const CONTEXT_CHARS = 20;

type Expectation = "value" | "value or ]" | "key" | "key or }" | "colon" | "comma or close" | "end";

const WANTED: Readonly<Record<Expectation, string>> = {
  value: "a value",
  "value or ]": 'a value or "]"',
  key: "a name in double quotes",
  "key or }": 'a name in double quotes or "}"',
  colon: '":"',
  "comma or close": '"," or a closing bracket',
  end: "the end",
};

/**
 * Describes where a text stops being JSON; the runtimes' own errors do not always say so.
 * @returns undefined for valid JSON, otherwise one phrase with the 0-based position: `at position 7 a value was
 * expected, found "}"`.
 */
export function jsonProblem(text: string): string | undefined {
  const open: ("{" | "[")[] = [];
  let expected: Expectation = "value";
  let at = 0;
  const match = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const length = pattern.exec(text)?.[0].length;
    if (length !== undefined) at += length;
    return length !== undefined;
  };
  const afterValue = (): Expectation => (open.length === 0 ? "end" : "comma or close");
  for (;;) {
    match(SPACE);
    const char = text[at];
    if (char === undefined) return expected === "end" ? undefined : describe(text, at, WANTED[expected]);
    if (expected === "value or ]" && char === "]") expected = "comma or close";
    if (expected === "key or }" && char === "}") expected = "comma or close";
    switch (expected) {
      case "value":
      case "value or ]":
        if (char === "{" || char === "[") {
          open.push(char);
          at += 1;
          expected = char === "{" ? "key or }" : "value or ]";
        } else if (char === '"' ? match(STRING) : match(NUMBER) || match(WORD)) expected = afterValue();
        else return char === '"' ? badString(text, at) : describe(text, at, WANTED[expected]);
        break;
      case "key":
      case "key or }":
        if (char !== '"') return describe(text, at, WANTED[expected]);
        if (!match(STRING)) return badString(text, at);
        expected = "colon";
        break;
      case "colon":
        if (char !== ":") return describe(text, at, WANTED.colon);
        at += 1;
        expected = "value";
        break;
      case "comma or close": {
        const last = open.at(-1);
        if (char === ",") expected = last === "{" ? "key" : "value";
        else if (char === (last === "{" ? "}" : "]")) {
          open.pop();
          expected = afterValue();
        } else return describe(text, at, last === "{" ? '"," or "}"' : '"," or "]"');
        at += 1;
        break;
      }
      case "end":
        return describe(text, at, WANTED.end);
    }
  }
}

function badString(text: string, start: number): string {
  STRING_START.lastIndex = start;
  const at = start + (STRING_START.exec(text)?.[0].length ?? 0);
  if (at >= text.length) return `at position ${at} the text ends inside a string that began at ${start}`;
  const isEscape = text[at] === "\\";
  if (isEscape && at + 1 >= text.length)
    return `at position ${at} the text ends inside a string that began at ${start}`;
  return isEscape
    ? `at position ${at} a string contains ${JSON.stringify(text.slice(at, at + 2))}, which is not a valid escape`
    : `at position ${at} a string contains ${JSON.stringify(text[at])}, which must be escaped`;
}

function describe(text: string, at: number, wanted: string): string {
  if (at >= text.length) return `at position ${at} the text ends where ${wanted} was expected`;
  return `at position ${at} ${wanted} was expected, found ${JSON.stringify(text.slice(at, at + CONTEXT_CHARS))}`;
}
