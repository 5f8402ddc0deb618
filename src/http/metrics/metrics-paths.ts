import { problems } from '../openapi/answers.ts';
import type { Paths } from '../openapi/describe.ts';
import { always } from '../openapi/headers.ts';

/** For monitoring. */
export const metricsPaths = {
  '/metrics': {
    GET: {
      tag: 'Operation',
      security: [],
      id: 'metrics',
      summary: 'Get the numbers of this instance for Prometheus',
      description: 'The text format of Prometheus, version 0.0.4. The numbers name nobody.',
      answers: [
        {
          status: 200,
          description: 'The numbers.',
          headers: { 'Cache-Control': always('no-store') },
          body: { kind: 'document', mediaType: 'text/plain' },
        },
        ...problems([]),
      ],
    },
  },
} satisfies Paths;
