import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describedOperations } from '../../support/documents/described-operations.ts';
import { offeredBy, pagesOf } from '../../support/documents/registered-routes.ts';
import { startHttpApp, type HttpApp } from '../../support/scenes/http-app.ts';

const named = ({ method, template }: { readonly method: string; readonly template: string }) =>
  `${method} ${template}`;

describe.each(['http://127.0.0.1:8080', 'https://market.example/tenants/one'])(
  'with the issuer %s',
  (issuer) => {
    let http: HttpApp;
    beforeAll(async () => {
      http = await startHttpApp({ config: { issuer } });
    });
    afterAll(() => http.close());

    test('every route is described, with its methods, or is a page (src/http/openapi/describe.ts says how)', async () => {
      const offered = await offeredBy(http.app);
      expect(offered.length).toBeGreaterThan(25);
      const described = await describedOperations(http.app);
      const pages = await pagesOf(http.app);
      expect([...described, ...pages].map(named).sort()).toEqual(offered.map(named).sort());
      const begin = [...new Set(pages.map(({ template }) => template.split('/')[1] ?? ''))].sort();
      const ofPeople = [
        '',
        '.well-known',
        'account',
        'admin',
        'audit',
        'choose-password',
        'forgot-password',
        'oauth',
        'operator',
        'publisher',
        'sign-in',
        'sign-out',
      ];
      expect(begin).toEqual(ofPeople);
    });
  },
);
