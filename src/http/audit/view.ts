import type { FastifyRequest } from 'fastify';
import type { AuditDependencies } from './dependencies.ts';
import type { QuestionsView } from './views/history-filters.ts';
import type { timelinePage } from './views/timeline-page.ts';
import type { Asked } from './record-question.ts';
import type { QuestionName } from './question.ts';
import type { FileKind } from './timeline-files.ts';

export type Frame = Pick<Parameters<typeof timelinePage>[0], keyof QuestionsView>;

export type View = {
  readonly names: readonly QuestionName[];
  /** Replaces the check of times, where a view allows others than the log's. */
  readonly timeProblem?: AuditDependencies['timeProblem'];
  /** `shown` is this, and no page. */
  readonly file?: FileKind;
  /** The page with only the form and the reasons for the refusal. */
  readonly refused: (frame: Frame) => string;
  readonly shown: (frame: Frame, asked: Asked, request: FastifyRequest) => Promise<string>;
};
