import { Marked } from 'marked';
import { escaped, markup, trusted, type Html } from '../pages/html.ts';
import type { Frame } from '../pages/layout.ts';
import { page } from '../pages/render.ts';

type GuideView = Pick<Frame, 'base' | 'brand'> & {
  readonly baseUrl: string;
  readonly issuer: string;
  readonly tutorial: string;
};

/** In place of the tutorial's first step, which is for a service on the reader's own machine. */
const registered = ({ baseUrl, issuer }: GuideView): string => `## 1. Get registered

The operator of the platform registers your add-on with its redirect URI, and gives you its id and its secret. An administrator of an organization [activates](${baseUrl}/admin) it: the browser then comes to its configuration URL with \`organization\`, the id of the organization. You need \`curl\`, \`jq\` and \`openssl\`, and Node 20 or Python 3 for the programs.

\`\`\`sh
export ISSUER=${issuer} CALLBACK=http://127.0.0.1:9000/callback
export CLIENT_ID=… CLIENT_SECRET=… ORGANIZATION_ID=…
\`\`\`

`;

/** What only the platform can do, and what its commands read. */
const ofPlatform = /^(?:grantbook .*|echo .* > grace\.ndjson)\n/gm;

/** The tutorial from the registration on: its blocks are those that a test runs. */
const guideText = (view: GuideView): string => {
  const { tutorial } = view;
  const steps = tutorial
    .slice(tutorial.indexOf('## 2. '))
    .replace(/\nAt the end, remove[^]*$/, '')
    .replaceAll(/<!--.*-->\n\n/g, '')
    .replaceAll(ofPlatform, '');
  return registered(view) + steps;
};

const idOf = (heading: string): string => heading.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');

const stepsOf = (text: string): Html =>
  markup`<nav class="tabs" aria-label="Steps">
${[...text.matchAll(/^## (.+)$/gm)].map(([, step = '']) => markup`<a href="#${idOf(step)}">${step}</a> `)}
</nav>`;

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
  'Connect your add-on',
  (view) => {
    const text = guideText(view);
    return markup`<div class="text">
<p class="small"><a href="${view.base}/docs">API reference</a> · <a href="${view.base}/problems">All problems</a></p>
<h1>Connect your add-on</h1>
${stepsOf(text)}
${trusted(toHtml.parse(text) as string)}
</div>
`;
  },
  () => ({ wide: true }),
);
