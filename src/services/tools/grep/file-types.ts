/** The globs of ripgrep's common types (its `--type-list`), for machines without ripgrep. */
const TYPES: Readonly<Record<string, string>> = {
  c: "*.[chH] *.[chH].in *.cats",
  cpp: "*.[ChH] *.[ChH].in *.[ch]pp *.[ch]pp.in *.[ch]xx *.[ch]xx.in *.cc *.cc.in *.hh *.hh.in *.inl",
  cs: "*.cs",
  css: "*.css *.scss",
  go: "*.go",
  html: "*.ejs *.htm *.html",
  java: "*.java *.jsp *.jspx *.properties",
  js: "*.cjs *.js *.jsx *.mjs *.vue",
  json: "*.json *.sarif composer.lock",
  kotlin: "*.kt *.kts",
  less: "*.less",
  lua: "*.lua",
  markdown: "*.markdown *.md *.mdown *.mdwn *.mdx *.mkd *.mkdn",
  md: "*.markdown *.md *.mdown *.mdwn *.mdx *.mkd *.mkdn",
  php: "*.php *.php3 *.php4 *.php5 *.php7 *.php8 *.pht *.phtml",
  py: "*.py *.pyi",
  python: "*.py *.pyi",
  ruby: "*.gemspec *.rake *.rb *.rbw .irbrc Gemfile Rakefile config.ru",
  rust: "*.rs",
  sql: "*.psql *.sql",
  swift: "*.swift",
  toml: "*.toml Cargo.lock",
  ts: "*.cts *.mts *.ts *.tsx",
  txt: "*.txt",
  typescript: "*.cts *.mts *.ts *.tsx",
  vue: "*.vue",
  yaml: "*.yaml *.yml",
};

/** Globs of a file type, or undefined for a type that is not in our table. */
export function typeGlobs(type: string): readonly string[] | undefined {
  return Object.hasOwn(TYPES, type) ? TYPES[type]?.split(" ") : undefined;
}

export const KNOWN_TYPES: readonly string[] = Object.keys(TYPES);
