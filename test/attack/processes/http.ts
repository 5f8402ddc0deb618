import { Agent, request } from 'node:http';
import { sessionHeader } from '../../support/scenes/our-cookies.ts';
import type { Clock } from './clock.ts';
import type { Place } from './history.ts';

export type Sent = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The cookie of a session. */
  readonly session?: string;
  readonly form?: Readonly<Record<string, string>>;
  readonly json?: object;
};

export type Answer = {
  readonly began: number;
  readonly answered: number;
  /** Null: the connection was lost, or nothing came for a long time. */
  readonly status: number | null;
  /** Null where it is no whole JSON object. */
  readonly body: Readonly<Record<string, unknown>> | null;
};

export type Wire = {
  send(place: Place, sent: Sent): Promise<Answer>;
  /** From now on requests to this place go there, on new connections. */
  connect(place: Place, baseUrl: string): void;
  /** Whoever asks afterwards fails: clients of a run that broke off would ask endlessly. */
  close(): void;
  isClosed(): boolean;
};

/** Longer than every time-out of the service: who is not answered by then will not be. */
const patience = 60_000;

/** Requests to the two instances over kept connections; both moments of each are noted on the one clock. */
export const makeWire = (clock: Clock): Wire => {
  const targets = new Map<Place, { readonly baseUrl: string; readonly agent: Agent }>();
  return {
    connect(place, baseUrl) {
      targets.get(place)?.agent.destroy();
      targets.set(place, { baseUrl, agent: new Agent({ keepAlive: true }) });
    },
    send(place, { method, path, headers, session, form, json }) {
      const target = targets.get(place);
      if (!target) return Promise.reject(new Error(`instance ${place} is not connected`));
      const body = form ? new URLSearchParams(form).toString() : json ? JSON.stringify(json) : '';
      const type = form ? 'application/x-www-form-urlencoded' : json ? 'application/json' : null;
      const began = clock();
      return new Promise((resolve) => {
        const lost = () => resolve({ began, answered: clock(), status: null, body: null });
        const asked = request(
          `${target.baseUrl}${path}`,
          {
            method,
            agent: target.agent,
            headers: {
              ...headers,
              ...(type !== null && { 'content-type': type }),
              ...(session !== undefined && { cookie: sessionHeader(target.baseUrl, session) }),
            },
          },
          (answer) => {
            const answered = clock();
            const status = answer.statusCode ?? null;
            const chunks: Buffer[] = [];
            const done = () => resolve({ began, answered, status, body: jsonOf(chunks) });
            answer.on('data', (chunk: Buffer) => chunks.push(chunk)).on('close', done);
          },
        );
        asked.setTimeout(patience, () => asked.destroy());
        asked.on('error', lost).end(body);
      });
    },
    close() {
      for (const { agent } of targets.values()) agent.destroy();
      targets.clear();
    },
    isClosed: () => targets.size === 0,
  };
};

const jsonOf = (chunks: readonly Buffer[]): Answer['body'] => {
  try {
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString());
    return typeof value === 'object' && value !== null ? (value as Answer['body']) : null;
  } catch {
    return null;
  }
};
