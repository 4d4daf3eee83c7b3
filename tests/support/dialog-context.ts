import type { AccountStatus, CommandContext, ModelOffer } from "../../src/contracts/command.ts";
import { builtInTheme, THEME_NAMES } from "../../src/contracts/theme.ts";

/** The time of these sessions. */
const NOW = 1_790_000_000_000;

const OFFERS: readonly ModelOffer[] = Array.from({ length: 30 }, (_, at) => ({
  ...{
    name: `model-with-a-name-${at}`,
    model: `model-with-a-name-${at}`,
    provider: at < 20 ? "anthropic" : "openrouter",
  },
  ...{
    windowTokens: 200_000,
    price: { input: 3, output: 15 },
    efforts: ["low", "medium", "high", "max"],
    hasAccess: at < 20,
  },
}));
const ACCOUNTS: readonly AccountStatus[] = Array.from({ length: 16 }, (_, at) => ({
  ...{ provider: `provider-${at}`, from: at === 0 ? "/home/someone/.config/quoll/credentials.json" : "" },
  ...{ access: at === 0 ? "…wxyz" : undefined, needsKey: at < 12 },
}));
const RULES = Array.from({ length: 30 }, (_, at) => ({
  ...{ decision: "allow" as const, rule: `Bash(npm run some-long-script-name-${at} *)` },
  ...{ source: "shop/.quoll/settings.json:12", layer: "user" },
}));
const SETTING = { description: "About the setting in a line that is long enough to be wrapped in a narrow window" };

/** A session with enough of everything that its commands list to fill more than a window. */
export const DIALOG_CONTEXT = {
  engine: {
    state: {
      ...{ sessionId: "aaaaaaaa-1111-2222", model: "model-with-a-name-7", providerName: "anthropic", effort: "medium" },
      ...{
        mode: "default",
        usedTokens: 900,
        windowTokens: 200_000,
        costUsd: 0.1,
        busy: false,
        messages: [],
        queue: [],
      },
    },
  },
  models: { list: () => [], describe: async () => OFFERS },
  accounts: { list: async () => ACCOUNTS },
  sessions: {
    ...{ label: async () => {}, remove: async () => {}, listAll: async () => [], canUndo: () => true },
    list: async () =>
      Array.from({ length: 25 }, (_, at) => ({
        ...{
          id: `bbbbbbbb-${at}`,
          title: `修正 the flaky checkout test 👩🏽‍💻 ${"and more ".repeat(9)}`,
          ...{ modifiedAt: NOW - at, bytes: 9_000, prompts: 3, costUsd: 0.1 },
          ...{ lastPrompt: "and now? ".repeat(9), lastAnswer: "Done. ".repeat(40) },
        },
      })),
  },
  settings: async () => ({
    files: { user: "~/.config/quoll/settings.json", project: ".quoll/settings.json", own: "~/own.json" },
    list: async () =>
      Array.from({ length: 40 }, (_, at) => ({
        ...{
          ...SETTING,
          key: `group${at}.nameOfTheSetting`,
          type: "a text",
          values: [],
          overridden: [],
          isList: false,
          isLive: true,
        },
      })),
  }),
  permissions: {
    describe: () => RULES,
    consent: () => ({ isGiven: false, line: "Quoll asks about commands in the sandbox." }),
  },
  themes: {
    list: async () => ({
      current: "auto",
      themes: THEME_NAMES.flatMap((name) => builtInTheme(name) ?? []),
      problems: [],
    }),
  },
  facts: async () => ({
    ...{
      version: "0.1.0",
      folder: "~/src/shop",
      isTrusted: true,
      settingsFiles: Array(30).fill("~/.config/quoll/settings.json"),
    },
  }),
  now: () => NOW,
} as unknown as CommandContext;
