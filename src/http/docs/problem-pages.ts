import type { Words } from '../../common/words.ts';
import type { OpenApiDocument } from '../openapi/document.ts';
import { empty, field, head } from '../pages/components.ts';
import { markup, type Html } from '../pages/html.ts';
import { page } from '../pages/render.ts';
import { docsTabs, inEnglish, type DocsView } from './docs-tabs.ts';
import { problemsIn, refusalsIn, type Explanation } from './explanations.ts';

type ReturnedBy = readonly { readonly anchor: string; readonly summary: string }[];

/** The operations that return a problem, by its name. */
export const returning = ({ paths, components }: OpenApiDocument): ((name: string) => ReturnedBy) => {
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  return (name) => {
    const example = `"#/components/examples/${name}"`;
    const responses = Object.entries(components.responses)
      .filter(([, response]) => JSON.stringify(response).includes(example))
      .map(([key]) => `#/components/responses/${key}`);
    return operations
      .filter((one) =>
        Object.values(one.responses).some(({ $ref = '' }: { readonly $ref?: string }) =>
          responses.includes($ref),
        ),
      )
      .map(({ operationId, tags: [tag = ''], summary }) => ({
        anchor: `/${encodeURIComponent(tag)}/${operationId}`,
        summary,
      }));
  };
};

/** Parts of a sentence: code is in a monospaced font. */
const textOf = (text: string): Html =>
  markup`${text
    .split('`')
    .map((part, index) => ({ code: index % 2 === 1, text: part }))
    .map((piece) => (piece.code ? markup`<code>${piece.text}</code>` : piece.text))}`;

const inAnswers = ({ name, inAnswers: said }: Explanation, words: Words): Html | null =>
  said &&
  markup`<p class="route"><span class="status s${String(said.status)[0]}">${said.status}</span> <code>${name}</code>${words.tag !== 'en' && markup` <span class="soft"${inEnglish(words)}>${said.title}</span>`}</p>`;

type ProblemView = DocsView & { readonly about: Explanation; readonly returnedBy: ReturnedBy };

export const problemPage = page<ProblemView>(
  ({ about }) => about.title,
  ({ base, about, returnedBy, reader: { words } }) => {
    const { problems: t } = words.docs;
    return markup`<div class="text">
<h1>${about.title}</h1>
${inAnswers(about, words)}
<div class="card">
<h2>${t.means}</h2>
<p>${textOf(about.means)}</p>
<h2>${t.remedy}</h2>
<p>${textOf(about.remedy)}</p>
</div>
${
  returnedBy.length > 0
    ? markup`<h2>${t.operations}</h2>
<ul class="plainlist"${inEnglish(words)}>${returnedBy.map(({ anchor, summary }) => markup`<li><a href="${base}/docs#${anchor}">${summary}</a></li>`)}</ul>`
    : about.inAnswers && markup`<p class="soft">${t.anyAddress}</p>`
}
</div>
`;
  },
  ({ reader: { words } }) => ({
    wide: true,
    crumbs: [
      { href: '/docs', label: words.frame.areas.docs },
      { href: '/problems', label: words.docs.problems.title },
    ],
  }),
);

/** Those in which each word occurs, or whose `type` it is. */
const search = (all: readonly Explanation[], sought: string): readonly Explanation[] => {
  const words = sought.toLowerCase().split(/\s+/);
  return all.filter(({ name, title, inAnswers: said, means, remedy }) => {
    const text = [name, said?.status, said?.title, title, means, remedy].join('\n').toLowerCase();
    return words.every((word) => text.includes(word) || (word.includes('://') && word.endsWith(`/${name}`)));
  });
};

/** All problems, or those with the words of a search. */
export const problemsPage = page<DocsView & { readonly sought: string }>(
  ({ reader }) => reader.words.docs.problems.title,
  (view) => {
    const { base, sought, reader } = view;
    const { problems: t } = reader.words.docs;
    const found = search(problemsIn(reader.words), sought);
    const refusals = refusalsIn(reader.words)
      .map((group) => search(group, sought))
      .filter((group) => group.length > 0);
    const count = found.length + refusals.flat().length;
    return markup`${docsTabs(view, '/problems')}<div class="text">
${head(t.title)}
<p>${textOf(t.intro)}</p>
<form class="filters" method="get" action="${base}/problems" role="search">
<div>${field({ id: 'q', name: 'q', kind: 'search', label: t.searchLabel, value: sought, hint: t.searchHint })}</div>
<div class="actions"><button type="submit">${t.search}</button></div>
</form>
${sought !== '' && count > 0 && markup`<p role="status">${t.found(count)} · <a href="${base}/problems">${t.showAll}</a></p>`}
${count === 0 && empty(t.none, markup`<a class="button plain" href="${base}/problems">${t.showAll}</a>`)}
${found.map((each) => problemCard(view, each))}
${refusals.length > 0 && markup`<h2>${t.refusals}</h2><p>${t.refusalsIntro}</p>`}
${refusals.map((group) => refusalCard(view, group))}
</div>
`;
  },
  () => ({ wide: true }),
);

const problemCard = ({ base, reader }: DocsView, about: Explanation): Html =>
  markup`<section class="card" aria-labelledby="${about.name}">
<h2 id="${about.name}"><a href="${base}/problems/${about.name}">${about.title}</a></h2>
${inAnswers(about, reader.words)}
<p>${textOf(about.means)}</p>
</section>
`;

/** Reasons that mean the same. */
const refusalCard = ({ base }: DocsView, group: readonly Explanation[]): Html =>
  markup`<div class="card">
<p class="links">${group.map(({ name, title }) => markup`<a href="${base}/problems/${name}"><code>${title}</code></a> `)}</p>
<p>${textOf(group[0]?.means ?? '')}</p>
</div>
`;
