export type Attributes = Readonly<Record<string, string>>;

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

/** Elements without words for a reader. */
const UNREAD = words(
  "script style noscript template svg math iframe object embed canvas audio video map button select textarea dialog",
);
/** Elements and roles of the site around the content of a page. */
const AROUND = words("nav footer aside");
const AROUND_ROLES = words(
  "navigation contentinfo search banner dialog alertdialog menu menubar toolbar complementary",
);
const AROUND_CLASS =
  /(?:^|\s)(?:[\w-]*sidebar|site-header|navbar|md-header|most-read|widget-area|cookie-(?:banner|consent|notice)|ad-slot|sharedaddy|newsletter|(?:page-|docs?-|article-|user-)?feedback(?:--?(?:title|question|prompt|response|form|section|widget|container))?|(?:was-this-)?(?:page-)?helpful)(?:\s|$)/i;
/** Class names of generators for parts that repeat or number the content, and for links beside it. */
const BESIDE =
  /(?:^|\s)(?:headerlink|hash-link|header-anchor|tsd-anchor-icon|md-content__button|hideme|mw-editsection|linenos?|lineno|line-numbers(?:-rows)?|gutter|blob-num|sr-only|visually-hidden)(?:\s|$)/i;
const LANGUAGE = /(?:^|\s)(?:language|lang|highlight-source|highlight|brush:|sourceCode)[-:\s]\s*([A-Za-z][\w+#.-]*)/g;
/** Words after `highlight` and the like that name no language. */
const NO_LANGUAGE = words("default none notranslate plaintext text highlight wrapper source console-output sourcecode");

/** Languages that some generators write as a class of their own. */
const LANGUAGES = words(
  "bash c cpp csharp css diff go graphql haskell html java javascript js json kotlin lua perl php python ruby rust scala sh shell sql swift toml ts typescript xml yaml",
);

/** Elements that begin on a new line; all others run along in their line. */
export const BLOCKS = words(
  "address article aside blockquote body center dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol optgroup option p pre search section summary table tbody td tfoot th thead tr ul",
);

/** True if nothing inside an element is for a reader. */
export function isUnread(name: string, attributes: Attributes): boolean {
  if (UNREAD.has(name)) return true;
  const { hidden, style = "", class: classes = "" } = attributes;
  if (hidden !== undefined && hidden !== "until-found") return true;
  return /display:\s*none/i.test(style) || BESIDE.test(classes);
}

/** True if an element belongs to the site and not to the content of its page. */
export function isAround(name: string, { role, class: classes = "" }: Attributes): boolean {
  return AROUND.has(name) || (role !== undefined && AROUND_ROLES.has(role)) || AROUND_CLASS.test(classes);
}

/** True if an element says that it holds the content of its page. */
export function isMain(name: string, { role }: Attributes): boolean {
  return name === "main" || role === "main";
}

/** The language that the class of a block of code, or of an element around it, names. */
export function languageOf({ class: classes = "", "data-lang": named }: Attributes): string | undefined {
  if (named !== undefined && /^[\w+#.-]{1,30}$/.test(named)) return named.toLowerCase();
  const found = [...classes.matchAll(LANGUAGE)].map(([, language = ""]) => language.toLowerCase());
  return found.find((language) => !NO_LANGUAGE.has(language));
}

/** The same for a `pre` or `code`, which may name it in other ways too. */
export function languageOfCode(attributes: Attributes): string | undefined {
  const classes = (attributes["class"] ?? "").toLowerCase().split(/\s+/);
  return languageOf(attributes) ?? classes.find((name) => LANGUAGES.has(name));
}
