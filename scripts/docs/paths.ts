import { documentOf } from '../../test/support/documents/described-operations.ts';
import { pagesOf } from '../../test/support/documents/registered-routes.ts';
import { startHttpApp } from '../../test/support/scenes/http-app.ts';
import { fill } from './fill.ts';
import { code, codes, table } from './table.ts';

export const pathsPage = async (): Promise<string> => {
  const http = await startHttpApp();
  try {
    const { paths } = await documentOf(http.app);
    const operations = Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item as Readonly<Record<string, { readonly summary?: string }>>)
        .filter(([method]) => method !== 'options')
        .map(([method, { summary = '' }]) => [code(`${method.toUpperCase()} ${path}`), summary] as const),
    );
    const isTask = ([operation]: readonly [string, string]) => operation.includes(' /operator/api/');
    return fill('paths.md', {
      operations: table(
        ['operation', 'what'],
        operations.filter((one) => !isTask(one)),
      ),
      tasks: table(
        ['operation'],
        operations.filter(isTask).map(([operation]) => [operation]),
      ),
      pages: table(
        ['page', 'methods'],
        rowsOf((await pagesOf(http.app)).filter(({ template }) => !isTaskPage(template, paths))),
      ),
    });
  } finally {
    await http.close();
  }
};

/** The form of a task, or the page of what it is about: the address in the API without `/api`, as the page says. */
const isTaskPage = (template: string, paths: object): boolean =>
  template.replace(/^\/operator\//, '/operator/api/') in paths && template.startsWith('/operator/');

type Offered = { readonly method: string; readonly template: string };

const rowsOf = (offered: readonly Offered[]): readonly (readonly string[])[] =>
  [...new Set(offered.map(({ template }) => template))].toSorted().map((template) => [
    code(template),
    codes(
      offered
        .filter((one) => one.template === template)
        .map(({ method }) => method)
        .toSorted(),
    ),
  ]);
