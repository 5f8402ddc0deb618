import type { WhyNot } from './kinds.ts';

const kinds: readonly (readonly [beginning: string, why: WhyNot])[] = [
  ['must not be empty', 'empty'],
  ['must have at most', 'long'],
  ['must be one line', 'lines'],
  ['must not contain invisible', 'invisible'],
];

/** What the catalogue says for a finding of `nameProblem` (domain/kernel/name.ts), which is in English for programs. */
export const whyNot = (found: string): WhyNot =>
  kinds.find(([beginning]) => found.startsWith(beginning))?.[1] ?? 'other';
