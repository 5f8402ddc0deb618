import { Marked } from 'marked';
import { escaped, markup, trusted, type Html } from '../pages/html.ts';
import { page } from '../pages/render.ts';
import { docsTabs, inEnglish, type DocsView } from './docs-tabs.ts';

type GuideView = DocsView & {
  readonly baseUrl: string;
  readonly issuer: string;
  readonly tutorial: string;
};

/** In place of the tutorial's first step, which is for a service on the reader's own machine. */
const registered = ({ baseUrl, issuer, reader }: GuideView): string => {
  const { guide } = reader.words.docs;
  return `## 1. ${guide.register}

${guide.registered(`${baseUrl}/admin`)}

\`\`\`sh
export ISSUER=${issuer} CALLBACK=http://127.0.0.1:9000/callback
export CLIENT_ID=… CLIENT_SECRET=… ORGANIZATION_ID=…
\`\`\`

## ${guide.alone}

${guide.aloneHow(`${baseUrl}/publisher`)}
`;
};

/** What only the platform can do, and what its commands read. */
const ofPlatform = /^(?:grantbook .*|echo .* > grace\.ndjson)\n/gm;

/** The tutorial from the registration on, in English: its blocks are those that a test runs. */
const stepsIn = (tutorial: string): string =>
  tutorial
    .slice(tutorial.indexOf('## 2. '))
    .replace(/\nAt the end, remove[^]*$/, '')
    .replaceAll(/<!--.*-->\n\n/g, '')
    .replaceAll(ofPlatform, '');

const idOf = (heading: string): string => heading.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');

const linksTo = (text: string, lang: Html | false): readonly Html[] =>
  [...text.matchAll(/^## (.+)$/gm)].map(
    ([, step = '']) => markup`<a href="#${idOf(step)}"${lang}>${step}</a> `,
  );

const toHtml = new Marked({
  async: false,
  renderer: {
    // What a command prints looks different from what is typed.
    code: ({ text, lang }) =>
      `<div class="${lang === 'text' ? 'printed' : 'typed'}"><pre><code>${escaped(text)}</code></pre></div>\n`,
    heading: ({ text, depth }) => `<h${depth} id="${idOf(text)}">${escaped(text)}</h${depth}>\n`,
    // Other documents are not served.
    link({ href, tokens }) {
      const text = this.parser.parseInline(tokens);
      return /^https?:/.test(href) ? `<a href="${escaped(href)}">${text}</a>` : text;
    },
  },
});

/** "Connect your add-on": from the registration to signals, by curl, JavaScript and Python (PG-13). */
export const guidePage = page<GuideView>(
  ({ reader }) => reader.words.docs.guide.title,
  (view) => {
    const { docs } = view.reader.words;
    const [first, steps] = [registered(view), stepsIn(view.tutorial)];
    const lang = inEnglish(view.reader.words);
    return markup`${docsTabs(view, '/docs/connect-your-add-on')}<div class="text">
<h1>${docs.guide.title}</h1>
<nav class="links" aria-label="${docs.guide.steps}">
${linksTo(first, false)}${linksTo(steps, lang)}
</nav>
${trusted(toHtml.parse(first) as string)}
${lang && markup`<p class="notice">${docs.guide.inEnglish}</p>`}
<div${lang}>
${trusted(toHtml.parse(steps) as string)}
</div>
</div>
`;
  },
  () => ({ wide: true }),
);
