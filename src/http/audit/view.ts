import type { FastifyRequest } from 'fastify';
import type { Browser } from '../browser.ts';
import type { timelinePage } from '../pages/timeline-page.ts';
import type { Asked } from './ask.ts';
import type { QuestionName } from './question.ts';

/** What all views of one organization's history begin with. */
export type Frame = Pick<
  Parameters<typeof timelinePage>[0],
  'base' | 'signedIn' | 'organization' | 'fields' | 'problems'
>;

export type View = {
  readonly names: readonly QuestionName[];
  /** Where the times that may be asked for are others than those of the log. */
  readonly timeProblem?: Browser['audit']['timeProblem'];
  /** With nothing but the form, and why. */
  readonly refused: (frame: Frame) => string;
  readonly shown: (frame: Frame, asked: Asked, request: FastifyRequest) => Promise<string>;
};
