import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { countTokens as countNewer } from "gpt-tokenizer/encoding/o200k_base";
import { type Message, NO_USAGE } from "../../src/contracts/message.ts";
import { textTokens } from "../../src/contracts/token-estimate.ts";
import { TokenCount } from "../../src/engine/token-count.ts";
import { cpuClock } from "../support/cpu-clock.ts";
import { eachOrDeep, isDeep } from "../support/deep.ts";
import { seededRandom } from "../support/seeded-random.ts";

const ROOT = `${import.meta.dir}/../..`;
const PROMPT_TOKENS = 3_000;

const asked = (text: string): Message => ({ role: "user", id: "u", content: [{ type: "text", text }] });
const answered = (inputTokens: number, model = "m"): Message => {
  const content = [{ type: "text", text: "Going on." }] as const;
  const usage = { ...NO_USAGE, inputTokens, outputTokens: 3 };
  return { role: "assistant", id: "a", model, content, stopReason: "end_turn", usage };
};

function code(): string {
  const folder = `${ROOT}/src/engine`;
  return readdirSync(folder)
    .map((name) => readFileSync(`${folder}/${name}`, "utf8"))
    .join("\n");
}

function logs(): string {
  const random = seededRandom(7);
  const levels = ["INFO", "WARN", "ERROR", "DEBUG"];
  const line = (at: number) =>
    `2026-03-0${1 + (at % 9)}T1${at % 10}:${10 + (at % 50)}:07.${100 + random.below(900)}Z [${levels[at % 4]}] worker-${at % 8} ` +
    `trace=${random.below(2 ** 31).toString(16)} POST /api/v2/orders/${random.below(9_999)}/items status=${200 + (at % 3) * 102} took=${random.below(900)}ms`;
  return Array.from({ length: 1_500 }, (_, at) => line(at)).join("\n");
}

function cjk(): string {
  const sentences = [
    "请先读取配置文件，然后检查数据库连接是否正常。",
    "如果测试失败，不要修改测试，而是找出真正的原因。",
    "この関数は入力を検証してから、結果をキャッシュに保存します。",
    "エラーが発生した場合は、ログを確認してもう一度実行してください。",
    "사용자가 입력한 값을 확인하고 결과를 저장합니다.",
    "变更必须向后兼容，旧的客户端仍然可以使用这个接口。",
    "画面の表示が遅いので、描画の回数を減らす必要があります。",
  ];
  const random = seededRandom(3);
  return Array.from({ length: 1_200 }, () => sentences[random.below(sentences.length)]).join("\n");
}

const TEXTS = {
  code: code(),
  JSON: readFileSync(`${ROOT}/package-lock.json`, "utf8"),
  logs: logs(),
  prose: readFileSync(`${ROOT}/docs/protocol.md`, "utf8"),
  CJK: cjk(),
};
const CHUNK = 6_000;

/** Each text in pieces, and then all of them in turn. */
const CONTENTS: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(Object.entries(TEXTS).map(([kind, text]) => [kind, pieces(text)])),
  "all of them in turn": [0, 1, 2, 3].flatMap((at) => Object.values(TEXTS).map((text) => pieces(text)[at] ?? "")),
};

function pieces(text: string): readonly string[] {
  return Array.from({ length: 6 }, (_, at) => text.slice(at * CHUNK, (at + 1) * CHUNK));
}

/** A tokenizer takes half a second to load: the older one is left to the deep run. */
const COUNTERS = isDeep
  ? { countNewer, countOlder: (await import("gpt-tokenizer/encoding/cl100k_base")).countTokens }
  : { countNewer };
const QUICK_ROWS = isDeep ? 0 : 1;

describe.each(Object.entries(COUNTERS))("against a real tokenizer (%s)", (_, count) => {
  eachOrDeep(
    "after three calls the estimate over %s is within 5 %",
    QUICK_ROWS,
    Object.entries(CONTENTS),
    (_kind, chunks) => {
      const tokens = new TokenCount();
      let real = PROMPT_TOKENS;
      for (const [at, chunk] of chunks.entries()) {
        tokens.add(asked(chunk));
        real += count(chunk);
        if (at >= 3) expect(Math.abs(tokens.inputTokens(0) / real - 1)).toBeLessThan(0.05);
        tokens.add(answered(real));
        real += 3;
      }
    },
  );

  eachOrDeep(
    "before the first call the estimate over %s is within 20 %",
    QUICK_ROWS,
    Object.entries(TEXTS),
    (_kind, text) => {
      const part = text.slice(0, CHUNK * 4);
      expect(Math.abs(textTokens(part) / count(part) - 1)).toBeLessThan(0.2);
    },
  );
});

test("a model that counts a third more is estimated so, and another model is not", () => {
  const chunks = pieces(TEXTS.code);
  const tokens = new TokenCount();
  let real = PROMPT_TOKENS;
  for (const chunk of chunks.slice(0, 4)) {
    tokens.add(asked(chunk));
    real += Math.round(countNewer(chunk) * 1.33);
    tokens.add(answered(real));
    real += 3;
  }
  const next = chunks[4] ?? "";
  expect(tokens.calibrated({ narrow: textTokens(next), wide: 0 }) / (countNewer(next) * 1.33)).toBeWithin(0.9, 1.1);
  tokens.add(asked(next));
  tokens.add(answered(real, "other"));
  expect(tokens.calibrated({ narrow: 1_000, wide: 0 })).toBe(1_000);
});

test("a report that can't be meant so changes no estimate", () => {
  const tokens = new TokenCount();
  tokens.add(asked("word ".repeat(1_000)));
  tokens.add(answered(5_000));
  tokens.add(asked("word ".repeat(1_000)));
  tokens.add(answered(5_010));
  expect(tokens.calibrated({ narrow: 1_000, wide: 0 })).toBe(1_000);
});

test("a removal never makes the next request larger, whatever the reports were", () => {
  const random = seededRandom(11);
  for (let conversation = 0; conversation < 200; conversation += 1) {
    let tokens = new TokenCount();
    let messages: readonly Message[] = [];
    let real = PROMPT_TOKENS;
    const add = (message: Message) => {
      tokens.add(message);
      messages = [...messages, message];
    };
    for (let round = 0; round < 6; round += 1) {
      const words = 50 + random.below(2_000);
      add(asked("word ".repeat(words)));
      real += words;
      if (round < 5 || random.chance(0.5)) add(answered(Math.round(real * (0.7 + random.below(60) / 100))));
      const before = tokens.inputTokens(PROMPT_TOKENS * 4);
      const at = random.below(messages.length);
      const shorter = messages.map((one, index) => (index === at && one.role === "user" ? asked("[Cleared.]") : one));
      const left = random.chance(0.5) ? shorter : messages.slice(at);
      const reduced = tokens.after(left);
      expect(reduced.inputTokens(PROMPT_TOKENS * 4)).toBeLessThanOrEqual(before);
      if (!random.chance(0.5)) continue;
      tokens = reduced;
      messages = left;
    }
  }
});

test("the growth of the next round is the mean of the last four", () => {
  const tokens = new TokenCount();
  expect(tokens.growthTokens).toBe(0);
  let size = 1_000;
  for (const grown of [9_000, 100, 200, 300, 400]) {
    tokens.add(answered(size));
    size += grown;
  }
  tokens.add(answered(size));
  expect(tokens.growthTokens).toBe(250);
});

test("a text of a million characters is estimated in less than 50 ms", () => {
  const text = TEXTS.code.repeat(8).slice(0, 1_000_000);
  textTokens(text);
  const spentMs = cpuClock();
  textTokens(text);
  expect(spentMs()).toBeLessThan(50);
});
