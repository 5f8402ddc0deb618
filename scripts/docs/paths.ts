import { documentOf } from '../../test/support/documents/described-operations.ts';
import { pagesOf } from '../../test/support/documents/registered-routes.ts';
import { startHttpApp } from '../../test/support/scenes/http-app.ts';
import { fill } from './fill.ts';
import { code, codes, table } from './table.ts';

export const pathsPage = async (): Promise<string> => {
  const http = await startHttpApp();
  try {
    const { paths } = await documentOf(http.app);
    const operations = Object.entries(paths).flatMap(([template, item]) =>
      Object.keys(item)
        .filter((method) => method !== 'options')
        .map((method) => ({ method: method.toUpperCase(), template })),
    );
    const isTask = ({ template }: Offered) => template.startsWith('/operator/api/');
    const pages = (await pagesOf(http.app)).map(({ template }) => template);
    return fill('paths.md', {
      operations: table(['path', 'methods'], rowsOf(operations.filter((one) => !isTask(one)))),
      tasks: table(['path', 'methods'], rowsOf(operations.filter(isTask))),
      pages: table(
        ['page'],
        [...new Set(pages)]
          .filter((template) => !isTaskPage(template, paths))
          .toSorted()
          .map((template) => [code(template)]),
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
