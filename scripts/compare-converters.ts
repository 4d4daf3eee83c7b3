/**
 * Compares ways to make Markdown of web pages, on the pages of `tests/support/web-pages`: what survives of the content,
 * what stays of the site around it, processor time and memory. The table stands in docs/adr.
 *
 * The libraries that were not chosen are no dependencies: install them in a folder of your own first.
 *   npm install defuddle@0.19.4 @mozilla/readability@0.6.0 linkedom@0.18.15 turndown@7.2.5 @joplin/turndown-plugin-gfm@1.0.68
 *   bun scripts/compare-converters.ts <that folder>
 */
import { resolve } from "node:path";
import { Parser } from "htmlparser2";
import { MarkdownWriter } from "../src/services/web/markdown/markdown-writer.ts";
import { DOCUMENTATION_PAGES } from "../tests/support/web-pages/documentation-pages.ts";
import { OTHER_PAGES } from "../tests/support/web-pages/other-pages.ts";
import { documentOf, PAGE_URL, prose } from "../tests/support/web-pages/page.ts";

const PAGES = [...DOCUMENTATION_PAGES, ...OTHER_PAGES];
const [folder = ".", only, sizeKb] = process.argv.slice(2);

const load = async (name: string) => import(Bun.resolveSync(name, resolve(folder)));

type Convert = (html: string) => string | Promise<string>;

function stream(html: string): string {
  const writer = new MarkdownWriter({ url: PAGE_URL });
  const parser = new Parser({
    onopentag: (name, attributes) => writer.open(name, attributes),
    ontext: (text) => writer.text(text),
    onclosetag: (name) => writer.close(name),
  });
  parser.end(html);
  return writer.finish();
}

async function turndown() {
  const { default: Turndown } = await load("turndown");
  const { gfm } = await load("@joplin/turndown-plugin-gfm");
  const service = new Turndown({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-" });
  service.use(gfm);
  service.remove(["script", "style", "noscript"]);
  return service;
}

async function readable() {
  const { parseHTML } = await load("linkedom");
  const { Readability } = await load("@mozilla/readability");
  return (html: string) => {
    const { document } = parseHTML(html);
    const base = document.createElement("base");
    base.setAttribute("href", PAGE_URL);
    document.head.append(base);
    return { document, article: new Readability(document, { keepClasses: true }).parse() };
  };
}

const CONVERTERS: Readonly<Record<string, () => Promise<Convert>>> = {
  "htmlparser2 + own writer": async () => stream,
  "linkedom + Readability + turndown": async () => {
    const [read, service] = [await readable(), await turndown()];
    return (html) => service.turndown(read(html).article?.content ?? "");
  },
  "linkedom + Readability + own writer": async () => {
    const read = await readable();
    return (html) => {
      const { article } = read(html);
      return `${article?.title ?? ""}\n\n${stream(article?.content ?? "")}`;
    };
  },
  "linkedom + defuddle": async () => {
    const { parseHTML } = await load("linkedom");
    const { Defuddle } = await load("defuddle/node");
    return async (html) => {
      const { document } = parseHTML(html);
      const result = await Defuddle(document, PAGE_URL, { markdown: true });
      return `# ${result.title}\n\n${result.contentMarkdown ?? result.content}`;
    };
  },
  "linkedom + defuddle + own writer": async () => {
    const { parseHTML } = await load("linkedom");
    const { Defuddle } = await load("defuddle/node");
    return async (html) => {
      const { document } = parseHTML(html);
      const result = await Defuddle(document, PAGE_URL, { markdown: false });
      return `# ${result.title}\n\n${stream(result.content)}`;
    };
  },
  "linkedom + turndown": async () => {
    const { parseHTML } = await load("linkedom");
    const service = await turndown();
    return (html) => service.turndown(parseHTML(html).document.body);
  },
};

/** Runs in a process of its own, so that times and memory are those of one converter. */
async function measured(name: string, kb: number): Promise<void> {
  const convert = await CONVERTERS[name]?.();
  if (!convert) throw new Error(`There is no converter ${name}.`);
  const part = PAGES.map(({ html }) => /<body>([\s\S]*)<\/body>/.exec(html)?.[1] ?? "").join("\n");
  const filler = `<article>${part}<p>${prose("page", 20)}</p></article>`;
  const body = `<main>${filler.repeat(Math.ceil((kb * 1024) / filler.length))}</main>`;
  const html = documentOf({ title: "Large", body }).slice(0, kb * 1024);
  const before = process.cpuUsage();
  const markdown = await convert(html);
  const { user, system } = process.cpuUsage(before);
  const peak = process.resourceUsage().maxRSS;
  console.log(JSON.stringify({ ms: (user + system) / 1000, mb: peak / 1024, chars: markdown.length }));
}

async function quality(name: string) {
  const convert = await CONVERTERS[name]?.();
  if (!convert) throw new Error(`There is no converter ${name}.`);
  const lost: string[] = [];
  let kept = 0;
  let wanted = 0;
  let left = 0;
  let unwanted = 0;
  for (const { kind, html, keep, drop } of PAGES) {
    const markdown = await Promise.resolve(convert(html)).catch((error: unknown) => `failed: ${error}`);
    for (const one of keep) {
      wanted += 1;
      if (one.test(markdown)) kept += 1;
      else lost.push(`${kind}: ${one}`);
    }
    unwanted += drop.length;
    left += drop.filter((one) => one.test(markdown)).length;
    if (process.env["SHOW"] === kind) console.log(markdown);
  }
  return { kept, wanted, left, unwanted, lost };
}

if (only !== undefined && sizeKb !== undefined) await measured(only, Number(sizeKb));
else {
  const sizes = [100, 300, 1_000, 5_000];
  console.log(`| converter | survives | site left | ${sizes.map((kb) => `${kb} KB`).join(" | ")} |`);
  console.log(`|---|---|---|${sizes.map(() => "---|").join("")}`);
  const details: string[] = [];
  for (const name of only === undefined ? Object.keys(CONVERTERS) : [only]) {
    const { kept, wanted, left, unwanted, lost } = await quality(name);
    details.push(`${name}\n${lost.map((line) => `  ${line}`).join("\n")}`);
    const cells = sizes.map((kb) => {
      const run = Bun.spawnSync([process.execPath, import.meta.path, folder, name, String(kb)]);
      if (run.exitCode !== 0) return "failed";
      const { ms, mb } = JSON.parse(run.stdout.toString());
      return `${(ms / 1000).toFixed(2)} s, ${Math.round(mb)} MB`;
    });
    console.log(`| ${name} | ${kept} of ${wanted} | ${left} of ${unwanted} | ${cells.join(" | ")} |`);
  }
  console.log(`\nLost:\n${details.join("\n")}`);
}
