import type { EventOf } from '../../domain/events.ts';
import type { LoggedHead } from './read-heads.ts';

export type LogHead = EventOf<'LogHeadSigned'>['data'];

/** A head as `grantbook audit head -o` writes it. */
export const headFileText = (head: LoggedHead): string => {
  const { revision: _, ...shown } = head;
  return `${JSON.stringify(shown, null, 2)}\n`;
};
