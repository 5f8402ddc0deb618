import { problemKinds, type ProblemKind } from '../answers/problems.ts';
import { notKept, page } from './answers.ts';
import type { Answer, Operation } from './describe.ts';

/** The form of errors at an address. */
type ErrorForm = 'problem' | 'oauth-error' | 'page';

/**
 * Refusals that any request may get, whatever its address and method (request-rules.ts, connections/raw-problem.ts).
 */
const refusals = [
  'request-timeout',
  'unsupported-content-encoding',
  'expectation-failed',
  'unsupported-transfer-encoding',
] as const satisfies readonly ProblemKind[];

/** Answers that all operations of an address have in addition to their own, in the form of their other errors. */
export const requestAnswers = (operations: readonly Operation[]): readonly Answer[] => {
  const form = errorFormOf(operations);
  // A request that does not arrive completely has no route, so its answer is always a problem.
  return refusals.map((kind) => inForm(kind === 'request-timeout' ? 'problem' : form, kind));
};

const errorFormOf = (operations: readonly Operation[]): ErrorForm => {
  const kinds = new Set(operations.flatMap(({ answers }) => answers.flatMap(({ body }) => body?.kind ?? [])));
  if (kinds.has('oauth-error')) return 'oauth-error';
  return kinds.has('problem') ? 'problem' : 'page';
};

const inForm = (form: ErrorForm, kind: ProblemKind): Answer => {
  const { status, title } = problemKinds[kind];
  const description = `${title}.`;
  switch (form) {
    case 'problem':
      return { status, description, headers: {}, body: { kind: 'problem', problems: [kind] } };
    case 'oauth-error': {
      const body = { kind: 'oauth-error', errors: ['invalid_request'] } as const;
      return { status, description, headers: notKept, body };
    }
    case 'page':
      return page(status, description);
  }
};
