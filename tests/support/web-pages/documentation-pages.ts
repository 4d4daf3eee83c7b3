import { documentOf, type MadePage, prose, SITE_FOOT, SITE_NAV, SITE_WORDS } from "./page.ts";

/** Pages as generators of documentation write them. */
export const DOCUMENTATION_PAGES: readonly MadePage[] = [
  {
    kind: "Docusaurus",
    html: documentOf({
      title: "Install | Tool",
      body: `${SITE_NAV}<div class="main-wrapper"><aside class="theme-doc-sidebar-container"><ul class="menu__list">
<li class="menu__list-item"><a class="menu__link" href="/guide/intro">SIDEINTRO</a></li><li><a href="/guide/deploy">SIDEDEPLOY</a></li></ul></aside>
<main><div class="theme-doc-breadcrumbs"><a href="/">CRUMB</a></div><article><div class="theme-doc-markdown markdown">
<header><h1>Install the tool</h1></header><p>${prose("installer")}</p>
<h2 id="needs">What you need<a href="#needs" class="hash-link" aria-label="Direct link"></a></h2>
<ul><li>Node 22<ul><li>with npm</li></ul></li><li>git</li></ul>
<div class="language-ts codeBlockContainer theme-code-block"><div class="codeBlockTitle">config.ts</div><div class="codeBlockContent">
<pre tabindex="0" class="prism-code language-ts"><code class="codeBlockLines"><span class="token-line"><span class="token keyword">export</span><span class="token plain"> default {</span><br></span><span class="token-line"><span class="token plain">  port: </span><span class="token number">3000</span>,<br></span><span class="token-line">};<br></span></code></pre>
<div class="buttonGroup"><button type="button" aria-label="Copy code">COPYBUTTON</button></div></div></div>
<div class="theme-admonition admonition"><div class="admonitionHeading">warning</div><div><p>Stop the server first.</p></div></div>
<p>Go on with <a href="../start">the first start</a> or the <a href="//cdn.example.com/x?a=1&amp;b=2">archive</a>.</p>
</div><nav class="pagination-nav"><a href="/guide/next">NEXTPAGE</a></nav></article></main></div>${SITE_FOOT}`,
    }),
    keep: [
      /^#+ Install the tool/m,
      /^#+ What you need/m,
      /^ +[-*] +with npm/m,
      /```ts\nexport default \{\n {2}port: 3000,\n\};\n```/,
      /Stop the server first/,
      /\[the first start\]\(https:\/\/docs\.example\.com\/start\)/,
      /\(https:\/\/cdn\.example\.com\/x\?a=1&b=2\)/,
    ],
    drop: [...SITE_WORDS, /SIDEDEPLOY/, /COPYBUTTON/],
  },
  {
    kind: "Sphinx",
    html: documentOf({
      title: "pool — manual",
      body: `<div class="related" role="navigation"><ul><li><a href="genindex.html">NAVPRICING</a></li></ul></div>
<div class="document"><div class="documentwrapper"><div class="bodywrapper"><div class="body" role="main"><section id="pool">
<h1>pool<a class="headerlink" href="#pool" title="Permalink">¶</a></h1><p>${prose("pool")}</p>
<dl class="py function"><dt class="sig sig-object py" id="pool.open"><span class="sig-prename">pool.</span><span class="sig-name descname">open</span><span class="sig-paren">(</span><em class="sig-param">size=4</em><span class="sig-paren">)</span><a class="headerlink" href="#pool.open">¶</a></dt>
<dd><p>Opens a pool of workers.</p><dl class="field-list simple"><dt>Raises</dt><dd><p><strong>ValueError</strong> – size is negative.</p></dd></dl></dd></dl>
<div class="highlight-python notranslate"><div class="highlight"><pre><span></span><span class="kn">import</span> <span class="nn">pool</span>
<span class="k">with</span> pool.open(2) <span class="k">as</span> p:
    p.run(<span class="s2">"job"</span>)
</pre></div></div></section></div></div></div><div class="sphinxsidebar" role="navigation"><h3>SIDEDEPLOY</h3></div></div>
<div class="footer" role="contentinfo">FOOTIMPRINT</div>`,
    }),
    keep: [
      /^#+ pool/m,
      /pool\.open\(\*?_?size=4/,
      /Opens a pool of workers/,
      /ValueError/,
      /```python\nimport pool\nwith pool\.open\(2\) as p:\n {4}p\.run\("job"\)\n```/,
    ],
    drop: [/SCRIPTWORD/, /¶/, /SIDEDEPLOY/, /FOOTIMPRINT/],
  },
  {
    kind: "MkDocs",
    html: documentOf({
      title: "Settings - Tool",
      body: `<header class="md-header"><nav class="md-header__inner">NAVPRICING</nav></header><div class="md-container"><main class="md-main">
<div class="md-sidebar md-sidebar--primary"><nav class="md-nav"><ul><li><a href="../a/">SIDEDEPLOY</a></li></ul></nav></div>
<div class="md-content"><article class="md-content__inner md-typeset"><a class="md-content__button" title="Edit this page" href="/edit">EDITLINK</a>
<h1 id="settings">Settings<a class="headerlink" href="#settings">¶</a></h1><p>${prose("loader")}</p>
<table><thead><tr><th>Setting</th><th style="text-align:right">Default</th></tr></thead><tbody><tr><td><code>cache.size</code></td><td>50 MB</td></tr><tr><td><code>a|b</code></td><td>off</td></tr></tbody></table>
<div class="language-yaml highlight"><table class="highlighttable"><tr><td class="linenos"><div class="linenodiv"><pre><span>1</span>
<span>2</span></pre></div></td><td class="code"><div><pre><code>cache:
  size: 50
</code></pre></div></td></tr></table></div>
<div class="admonition note"><p class="admonition-title">Note</p><p>Sizes are in megabytes.</p></div></article></div></main>
<footer class="md-footer">FOOTIMPRINT</footer></div>`,
    }),
    keep: [
      /^#+ Settings/m,
      /\| *Setting *\| *Default *\|\n\|[ :-]+\|[ :-]+\|\n\| *`cache\.size` *\| *50 MB *\|/,
      /`a\\\|b`/,
      /```(yaml)?\ncache:\n {2}size: 50\n```/,
      /Sizes are in megabytes/,
    ],
    drop: [/SCRIPTWORD/, /SIDEDEPLOY/, /FOOTIMPRINT/, /NAVPRICING/],
  },
  {
    kind: "VitePress",
    html: documentOf({
      title: "Plugins | Tool",
      body: `<div id="app"><div class="Layout"><header class="VPNav">NAVPRICING</header><aside class="VPSidebar"><nav><a href="/x">SIDEDEPLOY</a></nav></aside>
<div class="VPContent"><div class="VPDoc"><div class="aside"><nav class="VPDocAsideOutline"><div>On this page</div><a href="#hooks">TOCLINK</a></nav></div>
<main class="main"><div class="vp-doc"><div><h1 id="plugins">Plugins <a class="header-anchor" href="#plugins" aria-label="Permalink">​</a></h1>
<p>${prose("plugin")}</p><h2 id="hooks">Hooks <a class="header-anchor" href="#hooks">​</a></h2>
<div class="language-js vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">js</span><pre class="shiki shiki-themes github-light" tabindex="0"><code><span class="line"><span style="--shiki-light:#D73A49">const</span><span> x </span><span>=</span><span> 1</span></span>
<span class="line"></span>
<span class="line"><span>  run</span><span>(x)</span></span></code></pre></div>
<div class="tip custom-block"><p class="custom-block-title">TIP</p><p>Hooks run in order.</p></div></div></div></main>
<footer class="VPDocFooter"><a href="/next">NEXTPAGE</a></footer></div></div></div></div>`,
    }),
    keep: [/^#+ Plugins/m, /^#+ Hooks/m, /```js\nconst x = 1\n\n {2}run\(x\)\n```/, /Hooks run in order/],
    drop: [/SCRIPTWORD/, /SIDEDEPLOY/, /NAVPRICING/],
  },
  {
    kind: "rustdoc",
    html: documentOf({
      title: "Vault in store - Rust",
      body: `<rustdoc-topbar><h2>Struct NAVPRICING</h2></rustdoc-topbar><nav class="sidebar"><h2><a href="#">SIDEDEPLOY</a></h2></nav>
<main><div class="width-limiter"><section id="main-content" class="content"><div class="main-heading"><h1>Struct <span class="struct">Vault</span></h1></div>
<pre class="rust item-decl"><code>pub struct Vault&lt;T&gt; { <span class="comment">/* private fields */</span> }</code></pre>
<details class="toggle top-doc" open><summary class="hideme"><span>Expand description</span></summary><div class="docblock"><p>${prose("vault")}</p></div></details>
<h2 id="implementations" class="section-header">Implementations</h2><div id="impl">
<details class="toggle implementors-toggle" open><summary><section id="impl-Vault" class="impl"><h3 class="code-header">impl&lt;T&gt; <a class="struct" href="struct.Vault.html">Vault</a>&lt;T&gt;</h3></section></summary>
<div class="impl-items"><details class="toggle method-toggle" open><summary><section id="method.open" class="method"><h4 class="code-header">pub fn <a href="#method.open" class="fn">open</a>(path: &amp;<a href="https://doc.rust-lang.org/std/path/struct.Path.html">Path</a>) -&gt; Result&lt;Self&gt;</h4></section></summary>
<div class="docblock"><p>Opens the vault at a path.</p></div></details></div></details></div></section></div></main>`,
    }),
    keep: [
      /pub struct Vault<T>/,
      /^#+ Implementations/m,
      /open.*\(path: &.*Path.*\) -(\\)?> Result/,
      /Opens the vault at a path/,
    ],
    drop: [/SCRIPTWORD/, /SIDEDEPLOY/],
  },
  {
    kind: "TypeDoc",
    html: documentOf({
      title: "Client | API",
      body: `<header class="tsd-page-toolbar">NAVPRICING</header><div class="container container-main"><div class="col-content">
<div class="tsd-page-title"><h1>Class Client</h1></div><section class="tsd-panel tsd-comment"><p>${prose("client")}</p></section>
<section class="tsd-panel tsd-member"><h3 class="tsd-anchor-link"><span>send</span><a href="#send" class="tsd-anchor-icon">#</a></h3>
<ul class="tsd-signatures"><li class="tsd-signature">send(body: string): Promise&lt;Answer&gt;</li><li class="tsd-description"><p>Sends a body and waits.</p>
<h4>Parameters</h4><ul class="tsd-parameter-list"><li><span><span class="tsd-kind-parameter">body</span>: string</span><p>At most 1 MB.</p></li></ul></li></ul></section></div>
<div class="col-sidebar"><nav class="tsd-navigation"><a href="x">SIDEDEPLOY</a></nav></div></div><footer>FOOTIMPRINT</footer>`,
    }),
    keep: [
      /Class Client/,
      /^#+ send/m,
      /send\(body: string\): Promise(\\)?</,
      /Sends a body and waits/,
      /At most 1 MB/,
    ],
    drop: [/SCRIPTWORD/, /FOOTIMPRINT/],
  },
  {
    kind: "manual page",
    html: documentOf({
      title: "ls(1)",
      body: `<table class="head"><tr><td>LS(1)</td><td>User Commands</td></tr></table><div class="manual-text"><section class="Sh"><h1 class="Sh" id="NAME">NAME</h1>
<p class="Pp"><code class="Nm">ls</code> — list directory contents</p></section><section class="Sh"><h1 class="Sh" id="OPTIONS">OPTIONS</h1><p>${prose("listing", 3)}</p>
<dl class="Bl-tag"><dt><a class="permalink" href="#a"><code class="Fl">-a</code></a></dt><dd>do not ignore entries starting with .</dd>
<dt><code class="Fl">--color</code>[=<i>WHEN</i>]</dt><dd>color the output</dd></dl><h1 id="EX">EXAMPLES</h1><pre>$ ls -l
total 0
   drwxr-xr-x  2 a</pre></section></div>`,
    }),
    keep: [
      /list directory contents/,
      /`-a`/,
      /do not ignore entries starting with \\?\./,
      /--color/,
      /\ntotal 0\n {3}drwxr-xr-x {2}2 a/,
    ],
    drop: [/SCRIPTWORD/],
  },
  {
    kind: "endpoints of an API",
    html: documentOf({
      title: "Orders API",
      body: `${SITE_NAV}<main class="api"><h1>Orders</h1><p>${prose("order", 4)}</p><section><h2><span class="verb">POST</span> <code>/v1/orders</code></h2>
<h3>Body</h3><table><tr><th>Field</th><th>Type</th><th>Notes</th></tr><tr><td>sku</td><td>string</td><td>Required.<br>Up to 40 letters.</td></tr><tr><td>count</td><td>integer</td><td>From 1</td></tr></table>
<h3>Example</h3><pre class="highlight json"><code data-lang="json">{
  "sku": "A-1",
  "tags": ["<b>", "&amp;"]
}</code></pre></section><section><h2><span class="verb">GET</span> <code>/v1/orders/{id}</code></h2><p>Answers 404 for a <em>deleted</em> order.</p></section></main>${SITE_FOOT}`,
    }),
    keep: [
      /POST.*\/v1\/orders/,
      /\| *sku *\| *string *\|.*Required\..*Up to 40 letters/,
      /\| *count *\| *integer *\| *From 1 *\|/,
      /```json\n\{\n {2}"sku": "A-1"/,
      /Answers 404 for a [*_]deleted[*_] order/,
    ],
    drop: SITE_WORDS,
  },
];
