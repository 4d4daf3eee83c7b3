import { expect, test } from "bun:test";
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { hrTime, type OpenSpan, SpanTree } from "../../../src/services/telemetry/span-tree.ts";
import { seededRandom } from "../../support/seeded-random.ts";

const SEEDS = 200;
const STEPS = 40;

function kept() {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  let ms = 1_700_000_000_000;
  const tree = new SpanTree(
    { tracer: provider.getTracer("test"), now: () => ++ms, everywhere: { "session.id": "s" } },
    {},
  );
  return { tree, spans: () => exporter.getFinishedSpans() };
}

const timeOf = ([seconds, nanos]: ReadableSpan["startTime"]) => BigInt(seconds) * 1_000_000_000n + BigInt(nanos);

function problems(spans: readonly ReadableSpan[], started: number): readonly string[] {
  const byId = new Map(spans.map((span) => [span.spanContext().spanId, span]));
  const found = spans.length === started && byId.size === started ? [] : [`${spans.length} of ${started} ended`];
  for (const span of spans) {
    if (span.attributes["session.id"] !== "s") found.push(`${span.name} has no session`);
    const above = span.parentSpanContext;
    const parent = above && byId.get(above.spanId);
    if (!above && span.name === "session") continue;
    if (!parent) found.push(`${span.name} has no parent`);
    else if (timeOf(span.startTime) < timeOf(parent.startTime) || timeOf(span.endTime) > timeOf(parent.endTime))
      found.push(`${span.name} leaves ${parent.name}`);
  }
  return found;
}

test("each span ends once and within its parent, whatever starts and ends in whatever order, and however often", async () => {
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const random = seededRandom(seed);
    const { tree, spans } = kept();
    const open: OpenSpan[] = [tree.session];
    const late: Promise<void>[] = [];
    for (let step = 0; step < STEPS; step += 1) {
      const chosen = random.pick(open);
      const act = random.below(6);
      if (act === 0) open.push(tree.startTurn("turn", { attributes: {} }));
      else if (act <= 2) open.push(tree.start("child", { attributes: {} }));
      else if (chosen !== tree.session) {
        if (act === 3) late.push(tree.endWith(chosen, {}, Promise.resolve({ late: true })));
        else tree.end(chosen, act === 4 ? {} : { error: "odd" });
      }
    }
    await Promise.all(late);
    tree.end(tree.session);
    tree.end(tree.session);
    expect([seed, problems(spans(), open.length)]).toEqual([seed, []]);
  }
});

test("attributes learned after a span's end are sent with the span, at its end time", async () => {
  const { tree, spans } = kept();
  const turn = tree.startTurn("turn", { attributes: {} });
  const request = tree.start("request", { attributes: {} });
  const price = Promise.withResolvers<{ cost: number }>();
  const ended = tree.endWith(request, { attributes: { tokens: 5 } }, price.promise);
  tree.end(turn);
  expect(spans().map(({ name }) => name)).toEqual(["turn"]);
  price.resolve({ cost: 2 });
  await ended;
  const [outer, inner] = spans();
  expect(inner?.attributes).toEqual({ "session.id": "s", tokens: 5, cost: 2 });
  expect(inner && outer && timeOf(inner.endTime) < timeOf(outer.endTime)).toBe(true);
});

test("times have fractions of a millisecond, and are never relative to the start of the process", () => {
  expect(hrTime(1_700_000_000_123.5)).toEqual([1_700_000_000, 123_500_000]);
  expect(hrTime(5)).toEqual([0, 5_000_000]);
  expect(hrTime(1_999.999_999_9)[1]).toBeLessThan(1_000_000_000);
});
