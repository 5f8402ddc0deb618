import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { markup } from '../pages/html.ts';
import { page } from '../pages/render.ts';
import { docsTabs, type DocsView } from './docs-tabs.ts';

/**
 * The files of `@fastify/swagger-ui`. Its routes are not used: they read each file from the disk for each client, do not
 * compress it, and write the document anew for each request (DO-02).
 */
const require = createRequire(import.meta.url);
const folder = dirname(require.resolve('@fastify/swagger-ui'));
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');

const start = `
const dark = matchMedia('(prefers-color-scheme: dark)');
dark.onchange = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.onchange();
SwaggerUIBundle({ dom_id: '#swagger-ui', url: new URL('openapi.json', location.href).href, deepLinking: true, validatorUrl: null });
`;

/** What our own stylesheet says of elements is not for those of Swagger UI. */
const reset = `
:where(#swagger-ui) :is(button, select, textarea, pre), :where(#swagger-ui) input[type] { all: revert; }
#swagger-ui .swagger-ui { background: none; }
`;

const version = createHash('sha256')
  .update(read('package.json'))
  .update(start + reset)
  .digest('hex')
  .slice(0, 12);

/** By their addresses, which change with the content. */
export const swaggerUiAssets = {
  script: [`/assets/swagger-ui-${version}.js`, () => read('static/swagger-ui-bundle.js') + start],
  stylesheet: [`/assets/swagger-ui-${version}.css`, () => reset + read('static/swagger-ui.css')],
} as const;

/**
 * The page runs a script that is not ours: in a sandbox it has an origin of its own, without cookies and session, and
 * reads nothing but what every site may read. It calls this server only.
 */
export const sandbox =
  "sandbox allow-scripts allow-forms allow-popups; default-src 'none'; script-src 'self'; style-src 'self'; " +
  "img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** `/docs`. Swagger UI replaces what is in its element. */
export const referencePage = page<DocsView>(
  ({ reader }) => reader.words.frame.areas.docs,
  (view) => {
    const { base, reader } = view;
    const { frame, docs } = reader.words;
    return markup`${docsTabs(view, '/docs')}<h1 class="hidden">${frame.areas.docs}</h1>
<div id="swagger-ui" lang="en">
<div class="empty" lang="${reader.words.tag}">
<p>${docs.needsScripts} <a href="${base}/openapi.json">${docs.documents}</a></p>
</div>
</div>
`;
  },
  () => ({ wide: true, script: swaggerUiAssets.script[0], stylesheet: swaggerUiAssets.stylesheet[0] }),
);
