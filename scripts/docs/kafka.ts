import { publications } from '../../src/kafka/contract/decisions.ts';
import { fill } from './fill.ts';
import { code, table } from './table.ts';

export const kafkaPage = (): string =>
  fill('kafka.md', {
    messages: table(
      ['Type', 'From the event'],
      publications.map(({ event, message }) => [code(message.type), code(event)]),
    ),
  });
