import { z } from 'zod';
import type { SessionItem } from '../commands/list-sessions.ts';
import { isUlid } from '../domain/ids.ts';
import { accountStream } from '../domain/streams.ts';
import { task, type TaskOutcome } from './task.ts';

const unknown: TaskOutcome = { ok: false, refusal: 'user-unknown', message: 'there is no such user' };

const timeOf = (instant: number): string => new Date(instant).toISOString();

const present = ({ sessionId, device, network, startedAt, lastSeenAt, expiresAt }: SessionItem) => ({
  session_id: sessionId,
  device,
  network,
  started_at: timeOf(startedAt),
  last_seen_at: timeOf(lastSeenAt),
  expires_at: timeOf(expiresAt),
});

export const sessions = task({
  name: 'sessions',
  summary: 'List the sessions',
  effect: 'Changes nothing: it answers the sessions of the user that are valid now, newest use first.',
  input: z.object({}),
  adds: z.object({
    items: z
      .array(
        z.object({
          session_id: z.string(),
          device: z.string().nullable(),
          network: z.string().nullable(),
          started_at: z.string().meta({ format: 'date-time' }),
          last_seen_at: z.string().meta({ format: 'date-time' }),
          expires_at: z.string().meta({ format: 'date-time' }),
        }),
      )
      .readonly(),
    next: z.null(),
  }),
  run: async ({ commands, store }, userId) => {
    if (!isUlid(userId) || (await store.read(accountStream(userId))).events.length === 0) return unknown;
    const { live } = await commands.sessionsOf(userId);
    const text = live.length === 0 ? 'No session is valid.' : `Valid sessions: ${live.length}.`;
    return { ok: true, text, position: null, json: { items: live.map(present), next: null } };
  },
});

export const endSessions = task({
  name: 'end-sessions',
  summary: 'End all sessions',
  effect: 'Every session of the user ends, on every instance. Administrator tokens and grants stay.',
  input: z.object({}),
  run: async ({ commands }, userId, _input, context) => {
    const outcome = await commands.endSessions({ userId, by: 'operator' }, context);
    if (!outcome.ok) return unknown;
    return { ok: true, text: 'Every session has ended.', position: outcome.value.position };
  },
});
