import { failure, ok, warning, type Look } from './finding.ts';

/** What an instance says of itself; `baseUrl` null where none is known. */
export const looksAtService = (baseUrl: string | null): readonly Look[] =>
  baseUrl === null
    ? []
    : [
        {
          check: 'service',
          look: async () => {
            const answer = await fetch(`${baseUrl}/health/ready`, { signal: AbortSignal.timeout(5_000) });
            const { status, checks } = (await answer.json()) as {
              readonly status?: string;
              readonly checks?: object;
            };
            const details = Object.entries(checks ?? {})
              .map(([name, said]) => `${name} ${String(said)}`)
              .join(', ');
            const found = `${baseUrl} says ${status ?? answer.status}: ${details}`;
            if (!answer.ok) return [failure('service', found, 'what it names first is what to mend')];
            if (status === 'degraded')
              return [warning('service', found, 'see after Kafka: grantbook kafka status')];
            return [ok('service', found)];
          },
        },
      ];
