import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/**
 * The files of `@fastify/swagger-ui`. Its routes are not used: they read each file from the disk for each client, do not
 * compress it, and write the document anew for each request (DO-02).
 */
const require = createRequire(import.meta.url);
const folder = dirname(require.resolve('@fastify/swagger-ui'));
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');

const start = `
SwaggerUIBundle({ dom_id: '#swagger-ui', url: new URL('openapi.json', location.href).href, deepLinking: true, validatorUrl: null });
`;

const version = createHash('sha256').update(read('package.json')).update(start).digest('hex').slice(0, 12);

/** By their addresses, which change with the content. */
export const swaggerUiAssets = {
  script: [`/assets/swagger-ui-${version}.js`, () => read('static/swagger-ui-bundle.js') + start],
  stylesheet: [`/assets/swagger-ui-${version}.css`, () => read('static/swagger-ui.css')],
} as const;

/**
 * The page runs a script that is not ours: in a sandbox it has an origin of its own, without cookies and session, and
 * reads nothing but what every site may read. It calls this server only.
 */
export const sandbox =
  "sandbox allow-scripts allow-forms allow-popups; default-src 'none'; script-src 'self'; style-src 'self'; " +
  "img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** `/docs`. Swagger UI replaces what is in `main`. */
export const docsPage = (base: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>API – Grantbook</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${base}${swaggerUiAssets.stylesheet[0]}">
<script src="${base}${swaggerUiAssets.script[0]}" defer></script>
</head>
<body>
<main id="swagger-ui"><p>This page needs scripts. Without them: <a href="${base}/openapi.json">the OpenAPI document</a>, and <a href="${base}/problems">all problems</a>.</p></main>
</body>
</html>
`;
