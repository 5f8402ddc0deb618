import { breakGlass } from '../../domain/kernel/actor.ts';
import { z } from 'zod';
import { timeOf } from '../../common/iso-time.ts';
import type { SessionItem } from '../../commands/sign-in/list-sessions.ts';
import { pageOf, task, type Part, type TaskOutcome } from '../task.ts';
import { shown } from '../answer-fields.ts';
import { english } from '../../common/words.ts';

const { user: texts } = english.tasks;

const unknown: TaskOutcome = { ok: false, refusal: 'user-unknown', message: 'user not found' };

const present = ({ sessionId, device, network, startedAt, lastSeenAt, expiresAt }: SessionItem) => ({
  session_id: sessionId,
  device,
  network,
  started_at: timeOf(startedAt),
  last_seen_at: timeOf(lastSeenAt),
  expires_at: timeOf(expiresAt),
});

/** Those that are valid now, newest use first. */
export const sessions: Part = {
  name: 'sessions',
  summary: 'List the sessions that are valid now, newest use first',
  item: z.object({
    session_id: z.string(),
    device: z.string().nullable(),
    network: shown(z.string(), { isSecond: true }).nullable(),
    started_at: shown(z.string(), { from: 'l' }).meta({ format: 'date-time' }),
    last_seen_at: z.string().meta({ format: 'date-time' }),
    expires_at: shown(z.string(), { from: 'm' }).meta({ format: 'date-time' }),
  }),
  example: {
    session_id: '01JD2E5G7J9L1N3Q5S7V9X1Z3B',
    device: 'Firefox on Linux',
    network: '198.51.100.0/24',
    started_at: '2026-03-02T08:15:00.000Z',
    last_seen_at: '2026-03-02T09:41:12.000Z',
    expires_at: '2026-03-02T20:15:00.000Z',
  },
  columns: texts.parts.sessions,
  list: async ({ commands }, userId, page) => {
    const { live } = await commands.sessionsOf(userId);
    return pageOf(live.map(present), ({ session_id }) => session_id, page);
  },
};

export const endSessions = task({
  name: 'end-sessions',
  ...texts['end-sessions'],
  into: 'sessions',
  ends: ['sessions'],
  input: z.object({}),
  run: async ({ commands }, userId, _input, context) => {
    const outcome = await commands.endSessions({ userId, by: breakGlass }, context);
    if (!outcome.ok) return unknown;
    return { ok: true, text: 'Every session has ended.', position: outcome.value.position };
  },
});
