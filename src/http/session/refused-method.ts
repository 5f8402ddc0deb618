import type { Browser } from '../browser.ts';
import type { Handler } from '../routes.ts';

export const methodNotAllowedPage =
  ({ message }: Browser): Handler =>
  (_request, reply) =>
    message(reply, 405, { title: 'Not like this', message: 'This address cannot be used in this way.' });
