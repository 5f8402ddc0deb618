import type { Browser } from '../browser.ts';
import type { Handler } from '../routes.ts';

export const methodNotAllowedPage =
  ({ message }: Browser): Handler =>
  (_request, reply) =>
    message(reply, 405, {
      title: 'This page can’t be opened directly',
      message: 'It only accepts a form from another page.',
    });
