import { type Reply, STOP_REASONS } from "./scenario.ts";
import {
  anyBoolean,
  anyObject,
  anyString,
  arrayOf,
  type Check,
  explain,
  integerFrom,
  isObject,
  nonEmptyString,
  numberFrom,
  object,
  oneOf,
  problemsOf,
  tagged,
} from "./shape.ts";

/** The scenario's author can fix it: the message names each wrong field by its path. */
export class ScenarioError extends Error {
  override name = "ScenarioError";
}

const count = integerFrom(0);
const kind = oneOf("status", "error_event", "cut", "hang_up", "silence", "stall", "no_stop");

const stringValues: Check = (value, where, report) => {
  if (!isObject(value)) return anyObject(value, where, report);
  for (const [name, item] of Object.entries(value)) anyString(item, `${where}.${name}`, report);
};

const numberOrString: Check = (value, where, report) => {
  if (typeof value !== "string") numberFrom(0)(value, where, report);
};

const toolUse: Check = (value, where, report) => {
  const raw = isObject(value) && value["inputText"] !== undefined;
  const body = raw ? { inputText: anyString } : { input: anyObject };
  object({ type: anyString, name: nonEmptyString, ...body }, { id: nonEmptyString })(value, where, report);
};

const block = tagged("type", {
  text: object({ type: anyString, text: nonEmptyString }),
  thinking: object({ type: anyString, thinking: anyString }, { signature: nonEmptyString }),
  redacted_thinking: object({ type: anyString, data: nonEmptyString }),
  tool_use: toolUse,
});

const cut: Check = (value, where, report) => {
  const inBytes = isObject(value) && value["afterBytes"] !== undefined;
  object({ kind, ...(inBytes ? { afterBytes: count } : { afterDeltas: count }) }, { reset: anyBoolean })(
    value,
    where,
    report,
  );
};

const fault = tagged("kind", {
  status: object(
    { kind, status: integerFrom(400, 599) },
    { message: anyString, errorType: nonEmptyString, retryAfter: numberOrString, headers: stringValues },
  ),
  error_event: object({ kind, afterDeltas: count }, { errorType: nonEmptyString, message: anyString }),
  cut,
  hang_up: object({ kind }, { reset: anyBoolean }),
  silence: object({ kind }),
  stall: object({ kind, afterDeltas: count }),
  no_stop: object({ kind }, { afterDeltas: count }),
});

const cutBytes: Check = (value, where, report) => {
  if (Array.isArray(value)) arrayOf(integerFrom(1), { min: 1 })(value, where, report);
  else object({ seed: integerFrom(0) }, { min: integerFrom(1), max: integerFrom(1) })(value, where, report);
};

const reply = object(
  { content: arrayOf(block) },
  {
    stopReason: oneOf(...STOP_REASONS),
    stopSequence: nonEmptyString,
    search: object(
      {
        query: nonEmptyString,
        results: arrayOf(object({ url: nonEmptyString, title: anyString }, { age: anyString, text: anyString })),
      },
      { cites: arrayOf(object({ text: nonEmptyString, results: arrayOf(count) })), error: nonEmptyString },
    ),
    usage: object(
      {},
      {
        inputTokens: count,
        outputTokens: count,
        cacheReadTokens: count,
        cacheCreationTokens: count,
        reasoningTokens: count,
      },
    ),
    deltaChars: integerFrom(1),
    cutBytes,
    paceMs: numberFrom(0),
    pings: object({}, { atStart: anyBoolean, every: integerFrom(1) }),
    repeatFirstDelta: anyBoolean,
    fault,
  },
);

/** A reply that is only a fault may leave `content` out. */
function withContent(item: unknown): unknown {
  return isObject(item) && item["content"] === undefined && item["fault"] !== undefined
    ? { ...item, content: [] }
    : item;
}

/**
 * Reads a scenario from parsed JSON: an array of replies as in `scenario.ts`.
 * @throws {ScenarioError} naming the first wrong field by its path (`replies.2.content.0.name`), and how many more there are.
 */
export function parseScenario(json: unknown): readonly Reply[] {
  const replies = Array.isArray(json) ? json.map(withContent) : json;
  const [first, ...more] = problemsOf((report) => arrayOf(reply, { min: 1 })(replies, "replies", report));
  if (first) {
    const rest = more.length === 0 ? "" : ` (and ${more.length} more problem${more.length === 1 ? "" : "s"})`;
    throw new ScenarioError(`${explain(first)}${rest}`);
  }
  return replies as readonly Reply[];
}
