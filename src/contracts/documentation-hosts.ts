/**
 * Hosts of documentation that its projects and vendors write themselves. No host belongs here on which strangers own
 * pages or sub-domains: no wikis, forums, package indexes, hosts of repositories or playgrounds with saved pages, and no
 * manual with notes of its readers.
 */
const HOSTS: ReadonlySet<string> = new Set(
  `angular.dev api.rubyonrails.org bun.com cmake.org code.visualstudio.com dart.dev dev.mysql.com
  developer.hashicorp.com developer.mozilla.org developers.cloudflare.com
  doc.rust-lang.org docs.ansible.com docs.astral.sh docs.aws.amazon.com docs.cloud.google.com docs.deno.com
  docs.djangoproject.com docs.docker.com docs.github.com docs.gitlab.com docs.gradle.org docs.npmjs.com docs.oracle.com
  docs.pydantic.dev docs.pytest.org docs.python.org docs.ruby-lang.org docs.scala-lang.org docs.scipy.org
  docs.spring.io docs.stripe.com docs.swift.org docs.unity3d.com eslint.org expressjs.com
  fastapi.tiangolo.com flask.palletsprojects.com git-scm.com guides.rubyonrails.org jestjs.io kotlinlang.org
  kubernetes.io laravel.com man7.org maven.apache.org nextjs.org nginx.org nodejs.org numpy.org pandas.pydata.org
  pip.pypa.io playwright.dev prettier.io pytorch.org react.dev scikit-learn.org sqlite.org tailwindcss.com vite.dev
  vitest.dev vuejs.org webpack.js.org www.gnu.org www.postgresql.org www.sqlite.org www.typescriptlang.org zod.dev`.split(
    /\s+/,
  ),
);

export function isDocumentationHost(host: string): boolean {
  return HOSTS.has(host);
}
