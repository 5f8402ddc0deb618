import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describedOperations } from '../../support/documents/described-operations.ts';
import { startHttpApp, type HttpApp } from '../../support/scenes/http-app.ts';
import { templatesOf } from '../../support/documents/registered-routes.ts';

/** Not described: their addresses change with their content. */
const exceptions = /^\/assets\//;

/** What a server says that it offers: every path answers 405 to a method that nobody offers. */
const offeredBy = async ({ app }: HttpApp): Promise<readonly string[]> => {
  const offered = await Promise.all(
    templatesOf(app)
      .filter((template) => !exceptions.test(template))
      .map(async (template) => {
        const url = template.replace(/\{\w+\}/g, '01JD0000000000000000000000');
        const { headers } = await app.inject({ method: 'PROPFIND' as 'GET', url });
        const methods = String(headers.allow).split(', ');
        return methods.filter((method) => method !== 'HEAD').map((method) => `${method} ${template}`);
      }),
  );
  return offered.flat().sort();
};

const described = (issuer: string): readonly string[] =>
  describedOperations(issuer)
    .map(({ method, template }) => `${method} ${template}`)
    .sort();

describe.each(['http://127.0.0.1:8080', 'https://market.example/tenants/one'])(
  'with the issuer %s',
  (issuer) => {
    let http: HttpApp;
    beforeAll(async () => {
      http = await startHttpApp({ config: { issuer } });
      await http.app.ready();
    });
    afterAll(() => http.close());

    test('every route is described, with its methods (src/http/openapi/describe.ts says how)', async () => {
      const offered = await offeredBy(http);
      expect(offered.length).toBeGreaterThan(25);
      const missing = offered.filter((route) => !described(issuer).includes(route));
      expect(missing, 'these routes need an entry in the -paths.ts beside them').toEqual([]);
    });

    test('nothing is described that is not there', async () => {
      const offered = await offeredBy(http);
      const invented = described(issuer).filter((route) => !offered.includes(route));
      expect(invented, 'these entries of a -paths.ts have no route').toEqual([]);
    });
  },
);
