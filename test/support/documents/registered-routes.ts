import type { FastifyInstance } from 'fastify';
import type { Method } from '../../../src/http/openapi/describe.ts';
import { documentOf } from './described-operations.ts';

/** The paths of a ready app, with parameters in braces like in OpenAPI. */
export const templatesOf = (app: FastifyInstance): readonly string[] => {
  const depths: string[] = [];
  const templates = app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const [, indent = '', name = ''] = /^([\s│]*)[├└]── (.*?)(?: \(.*\))?$/.exec(line) ?? [];
      if (name === '') return [];
      depths.length = indent.length / 4;
      depths.push(name);
      return line.includes(' (') ? [depths.join('')] : [];
    });
  return [...new Set(templates)].map(templateOf);
};

/** As OpenAPI writes what Fastify calls `/addons/:id`. */
export const templateOf = (url: string): string => url.replace(/:(\w+)/g, '{$1}').replaceAll('::', ':');

/** What it offers: every path answers 405 to a method that nobody offers. Not the assets: their addresses change with their content. */
export const offeredBy = async (
  app: FastifyInstance,
): Promise<readonly { readonly method: Method; readonly template: string }[]> => {
  await app.ready();
  const offered = await Promise.all(
    templatesOf(app)
      .filter((template) => !template.startsWith('/assets/'))
      .map(async (template) => {
        const url = template.replace(/\{\w+\}/g, '01JD0000000000000000000000');
        const { headers } = await app.inject({ method: 'PROPFIND' as 'GET', url });
        const methods = String(headers.allow).split(', ') as (Method | 'HEAD')[];
        return methods
          .filter((method) => method !== 'HEAD')
          .map((method) => ({ method: method as Method, template }));
      }),
  );
  return offered.flat();
};

/** Our own pages and their forms: all that is in no document. */
export const pagesOf = async (app: FastifyInstance) => {
  const { paths } = await documentOf(app);
  return (await offeredBy(app)).filter(({ template }) => !(template in paths));
};
