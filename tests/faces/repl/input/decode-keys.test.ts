import { describe, expect, test } from "bun:test";
import { decodeKeys, emptyDecoder, flushKeys, type InputEvent } from "../../../../src/faces/repl/input/decode-keys.ts";
import { cpuClock } from "../../../support/cpu-clock.ts";
import { seededRandom } from "../../../support/seeded-random.ts";

const ESC = "\u001b";

/** A short name of an event: `text:ab`, `paste:x`, `ctrl+alt+char:f`. */
function named(event: InputEvent): string {
  if (event.type === "report") return JSON.stringify(event.report);
  if (event.type !== "key") return `${event.type}:${event.text}`;
  const flags = [event.ctrl && "ctrl", event.alt && "alt", event.shift && "shift"].filter(Boolean);
  return [...flags, event.char === "" ? event.name : `${event.name}:${event.char}`].join("+");
}

function decode(...pieces: readonly string[]): readonly string[] {
  let decoder = emptyDecoder;
  const events: InputEvent[] = [];
  for (const piece of pieces) {
    const decoded = decodeKeys(decoder, piece);
    decoder = decoded.decoder;
    events.push(...decoded.events);
  }
  return [...events, ...flushKeys(decoder).events].map(named);
}

describe("keys", () => {
  test.each([
    ["typed text in one piece", "hello", ["text:hello"]],
    ["text and enter in one piece", "hi\r", ["text:hi", "enter"]],
    ["two short inputs in one piece", "a\rb\r", ["text:a", "enter", "text:b", "enter"]],
    ["Ctrl+J", "\n", ["ctrl+char:j"]],
    ["Ctrl+A, Ctrl+_, backspace, tab", "\u0001\u001f\u007f\t", ["ctrl+char:a", "ctrl+char:_", "backspace", "tab"]],
    [
      "backspace and enter with num lock, as kitty's protocol sends them",
      `${ESC}[127;129u${ESC}[13;129u`,
      ["backspace", "enter"],
    ],
    ["arrows", `${ESC}[A${ESC}OB${ESC}[1;5C${ESC}[1;3D`, ["up", "down", "ctrl+right", "alt+left"]],
    [
      "home, end, delete, pages",
      `${ESC}[H${ESC}OF${ESC}[3~${ESC}[5~${ESC}[6;5~`,
      ["home", "end", "delete", "pageup", "ctrl+pagedown"],
    ],
    ["f1 to f12", `${ESC}OP${ESC}[12~${ESC}[1;2Q${ESC}[15;5~${ESC}[24~`, ["f1", "f2", "shift+f2", "ctrl+f5", "f12"]],
    ["shift+tab", `${ESC}[Z`, ["shift+tab"]],
    ["alt+enter", `${ESC}\r`, ["alt+enter"]],
    ["alt+b, alt+backspace, alt+ü", `${ESC}b${ESC}\u007f${ESC}ü`, ["alt+char:b", "alt+backspace", "alt+char:ü"]],
    [
      "kitty: shift+enter, escape, ctrl+c",
      `${ESC}[13;2u${ESC}[27u${ESC}[99;5u`,
      ["shift+enter", "escape", "ctrl+char:c"],
    ],
    ["kitty: a release says nothing", `${ESC}[97;1:3u${ESC}[1;1:3A`, []],
    ["kitty: a shifted letter is text", `${ESC}[97;2u`, ["text:A"]],
    ["kitty: lock keys beside a modifier", `${ESC}[99;69u`, ["ctrl+char:c"]],
    ["xterm: a shifted letter and a shifted sign are text", `${ESC}[27;2;65~${ESC}[27;2;33~`, ["text:A", "text:!"]],
    [
      "xterm and kitty: what is Escape, Tab and Enter elsewhere",
      `${ESC}[27;5;91~${ESC}[27;5;105~${ESC}[27;5;77~${ESC}[91;5u${ESC}[27;6;91~`,
      ["escape", "tab", "enter", "escape", "ctrl+shift+char:["],
    ],
    ["xterm: modified enter", `${ESC}[27;2;13~`, ["shift+enter"]],
    ["escape twice", `${ESC}${ESC}`, ["escape"]],
    ["escape, then an arrow", `${ESC}${ESC}[A`, ["alt+up"]],
    ["a lone escape", ESC, ["escape"]],
    [
      "answers to our questions",
      `${ESC}[12;40R${ESC}[>0;276;0c${ESC}[8;24;80t`,
      [
        '{"about":"cursor","row":12,"column":40}',
        '{"about":"device","attributes":"0;276;0"}',
        '{"about":"size","sides":[24,80]}',
      ],
    ],
    ["the answer about kitty's keys", `${ESC}[?1ua`, ['{"about":"kittyKeys"}', "text:a"]],
    ["other answers of the terminal", `${ESC}[?1;2c${ESC}]10;rgb:0/0/0\u0007${ESC}P>|x${ESC}\\a`, ["text:a"]],
    ["mouse reports: a press of the button, and an old form", `${ESC}[<0;3;4M${ESC}[M !!a`, ["click", "text:a"]],
    ["8-bit controls", "a\u009bb", ["text:ab"]],
    ["F-keys of the console of Linux", `${ESC}[[Aa`, ["text:a"]],
    ["emoji and CJK", "漢👨‍👩‍👧‍👦", ["text:漢👨‍👩‍👧‍👦"]],
  ] as const)("%s", (_, input, events) => {
    expect(decode(input)).toEqual([...events]);
  });

  test("are the same however the bytes come in pieces", () => {
    const input = `ab${ESC}[1;5C${ESC}[200~x\ry${ESC}[31m${ESC}[201~c${ESC}[13;2u\r${ESC}OA${ESC}b${ESC}]0;t${ESC}\\d`;
    const merged = (events: readonly string[]) => events.join(" ").replaceAll(/ text:/g, "");
    const whole = merged(decode(input));
    for (let seed = 1; seed <= 80; seed += 1) {
      const random = seededRandom(seed);
      const pieces: string[] = [];
      for (let at = 0; at < input.length; ) {
        const size = 1 + random.below(5);
        pieces.push(input.slice(at, at + size));
        at += size;
      }
      expect(merged(decode(...pieces))).toBe(whole);
    }
  });

  test("random bytes never throw and never get stuck", () => {
    const random = seededRandom(3);
    const alphabet = [ESC, "[", "O", "]", "200~", "201~", ";", "1", "u", "~", "M", "\r", "x", "\u0007", "漢", "<", "?"];
    for (let round = 0; round < 2_000; round += 1) {
      const input = Array.from({ length: 12 }, () => random.pick(alphabet)).join("");
      const { decoder } = decodeKeys(emptyDecoder, input);
      const ended = decodeKeys(flushKeys(decoder).decoder, `${ESC}[201~`);
      expect(flushKeys(ended.decoder).decoder.pending).toBe("");
    }
  });
});

describe("pastes", () => {
  test("come as one event, whatever they hold", () => {
    expect(decode(`${ESC}[200~a\rb${ESC}[A\u0003${ESC}[201~x`)).toEqual([`paste:a\rb${ESC}[A\u0003`, "text:x"]);
  });

  test("of 10,000 lines in many pieces come whole, and soon", () => {
    const text = Array.from({ length: 10_000 }, (_, line) => `this is line ${line} of a large paste`).join("\r");
    const pieces = (`${ESC}[200~${text}${ESC}[201~\r`.match(/[\s\S]{1,4096}/g) ?? []) as string[];
    const spent = cpuClock();
    expect(decode(...pieces)).toEqual([`paste:${text}`, "enter"]);
    expect(spent()).toBeLessThan(500);
  });

  test("without marks are known by their many lines in one piece", () => {
    expect(decode("first line\rsecond line\rthird line\rrest")).toEqual([
      "paste:first line\rsecond line\rthird line\rrest",
    ]);
    expect(decode("\r\r\r\r")).toEqual(["enter", "enter", "enter", "enter"]);
  });
});

test("answers about colours are reports, also in pieces, and never typed text", () => {
  const white = '{"about":"background","color":"rgb:ffff/ffff/ffff"}';
  expect(decode(`${ESC}]11;rgb:ffff/ffff/ffff${ESC}\\a`)).toEqual([white, "text:a"]);
  expect(decode(`${ESC}]11;rgb:ffff/`, "ffff/ffff\u0007")).toEqual([white]);
  expect(decode(`${ESC}[?997;1n${ESC}[?997;2n`)).toEqual([
    '{"about":"scheme","scheme":"dark"}',
    '{"about":"scheme","scheme":"light"}',
  ]);
  expect(decode(`${ESC}]4;1;rgb:0/0/0\u0007`)).toEqual([]);
});

test("reports of the focus are no keys, also in pieces", () => {
  expect(decode(`a${ESC}[I${ESC}[`, "Ob")).toEqual([
    "text:a",
    '{"about":"focus","isFocused":true}',
    '{"about":"focus","isFocused":false}',
    "text:b",
  ]);
});
