import { refused, type Answer } from '../base/answer.ts';
import { NotAllowed } from '../base/not-allowed.ts';
import { failedAnswer, NotReached, notReachedAnswer } from '../base/not-reached.ts';

/** The message about a thrown error, without a stack trace. */
export const explain = (error: unknown): Answer => {
  if (error instanceof NotReached) return notReachedAnswer(error);
  if (error instanceof NotAllowed) return refused(error.code, error.message);
  if (error instanceof Error && error.name === 'AbortError')
    return refused('interrupted', 'it was interrupted: there is no answer, and what was asked may be done');
  return failedAnswer(error);
};
