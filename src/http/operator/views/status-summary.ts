import type { OperatorStatus } from '../../../projections/operations/status.ts';
import { words } from '../../pages/words.ts';

export type StatusSummary = { readonly isWell: boolean; readonly text: string };

/** The status in one sentence: what needs attention, or that nothing does. */
export const summaryOf = ({ database, lostKeys, workers }: OperatorStatus): StatusSummary => {
  const failing = workers.filter(({ health }) => health === 'failing').map(({ name }) => name);
  const troubles = [
    ...(database === null ? ['the database does not answer'] : []),
    ...(lostKeys ? [`the keys of ${words.countOf(lostKeys, 'person')} are missing`] : []),
    ...(failing.length > 0 ? [`failing on this instance: ${failing.join(', ')}`] : []),
    ...(database !== null && database.parked.all > 0
      ? [`${words.countOf(database.parked.all, 'key')} parked`]
      : []),
    ...(database !== null && database.failingEndpoints > 0
      ? [`${words.countOf(database.failingEndpoints, 'add-on')} cannot be told of changes by push`]
      : []),
  ];
  if (troubles.length > 0) return { isWell: false, text: `Needs attention: ${troubles.join('; ')}.` };
  const running = words.countOf(database?.instances.length ?? 0, 'instance');
  return { isWell: true, text: `Everything works: ${running} running, and nothing is parked.` };
};
