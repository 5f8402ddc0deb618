import type { Browser } from '../base/browser.ts';
import type { Handler } from '../base/routes.ts';

export const methodNotAllowedPage =
  ({ message }: Browser): Handler =>
  (_request, reply) =>
    message(reply, 405, ({ errors }) => ({ title: errors.notDirectly, message: errors.formOnly }));
