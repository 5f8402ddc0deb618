import type { Browser } from '../base/browser.ts';
import type { Handler } from '../base/routes.ts';

export const methodNotAllowedPage =
  ({ message }: Browser): Handler =>
  (_request, reply) =>
    message(reply, 405, {
      title: 'This page can’t be opened directly',
      message: 'It only accepts a form from another page.',
    });
