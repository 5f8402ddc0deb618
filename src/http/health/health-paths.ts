import { json, noStore, problems } from '../openapi/answers.ts';
import type { Operation, Paths } from '../openapi/describe.ts';
import { always } from '../openapi/headers.ts';
import { retryAfter } from '../answers/problems.ts';

const open = { tag: 'Operation', security: [] } as const satisfies Partial<Operation>;

const serving = {
  eventStore: 'ok',
  database: 'ok',
  projector: 'leading',
  revocations: 'standby',
  history: 'leading',
  signals: 'standby',
  signalPush: 'standby',
  logHeads: 'standby',
  streams: 'standby',
  retention: 'standby',
  tableRetention: 'leading',
  tokens: 'accepted',
};

export const healthPaths = {
  '/health/live': {
    GET: {
      ...open,
      id: 'live',
      summary: 'Check whether the process answers',
      answers: [
        json(200, 'It does.', 'Liveness', noStore, {
          live: { status: 'live', version: '1.0.0', commit: '9fceb02d0ae598e95dc970b74767f19372d61af8' },
        }),
        ...problems([]),
      ],
    },
  },
  '/health/ready': {
    GET: {
      ...open,
      id: 'ready',
      summary: 'Tell whether tokens are accepted',
      answers: [
        json(200, 'They are.', 'Readiness', noStore, {
          ready: { status: 'ready', checks: { ...serving, kafka: 'not configured' } },
          degraded: {
            status: 'degraded',
            checks: {
              ...serving,
              kafka: 'does not work (ECONNREFUSED) since 2026-08-01T10:00:00.000Z; 120 events wait',
            },
          },
        }),
        json(
          503,
          'Not now.',
          'Readiness',
          { ...noStore, 'Retry-After': always(retryAfter) },
          {
            behind: {
              status: 'not-ready',
              checks: { ...serving, tokens: 'not accepted until the read models are current' },
            },
            stopping: { status: 'stopping', checks: { ...serving, kafka: 'not configured' } },
          },
        ),
        ...problems([]),
      ],
    },
  },
} satisfies Paths;
