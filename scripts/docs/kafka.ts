import { publications } from '../../src/kafka/contract/decisions.ts';
import { fill } from './fill.ts';
import { code, codes, table } from './table.ts';

export const kafkaPage = (): string =>
  fill('kafka.md', {
    messages: table(
      ['Type', 'From the event', 'Data'],
      publications.map(({ event, message }) => [
        code(message.type),
        code(event),
        codes(Object.keys(message.data.shape).filter((name) => !isGiven(message.type, name))),
      ]),
    ),
  });

/** What the page says once: of every message, and of those about grants. */
const isGiven = (type: string, name: string): boolean =>
  name === 'at' ||
  (type.startsWith('grantbook.grant.') && ['grant_id', 'addon_id', 'subject'].includes(name));
