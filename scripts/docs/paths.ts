import { documentOf } from '../../test/support/documents/described-operations.ts';
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
    return fill('paths.md', {
      operations: table(['path', 'methods'], rowsOf(operations.filter((one) => !isTask(one)))),
      tasks: table(['path', 'methods'], rowsOf(operations.filter(isTask))),
    });
  } finally {
    await http.close();
  }
};

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
