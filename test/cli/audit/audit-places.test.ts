import { beforeEach, expect, test } from 'vitest';
import type { CliService } from '../../../src/cli/base/service.ts';
import { nextTraceparent } from '../../../src/observability/tracing/traceparent.ts';
import { memoryStore } from '../../support/memory/memory-store.ts';
import { activated, issued, organization, profile } from '../../projections/follow/a-story.ts';
import { runGrantbook } from '../run-grantbook.ts';

const day = 86_400_000;
const now = Date.now();
const later = new Date(now + day).toISOString();
/** The day after tomorrow, whatever the time is by the end of the test. */
const aDayToCome = new Date(now + 2 * day).toISOString().slice(0, 10);
const today = new Date(now).toISOString().slice(0, 10);

/** What a command asks before it answers; whoever comes as far as to note the question has been let through. */
class Noted extends Error {
  override readonly name = 'Noted';
}
const id = '01JD0000000000000000000000';
let service: CliService;
let events: number;

beforeEach(async () => {
  const store = memoryStore();
  for (const { stream, event } of [activated(1), issued('G1'), profile('P1'), organization(id)])
    await store.append(stream, 'no-stream', [{ event }]);
  events = store.all().length;
  service = {
    actor: { by: 'break-glass', user: null },
    context: { traceparent: nextTraceparent() },
    store,
    audit: { now: () => Date.now(), log: store, timeline: { exists: () => Promise.resolve(true) } },
    commands: { recordAuditQuery: () => Promise.reject(new Noted('it was let through')) },
    close: () => Promise.resolve(),
  } as unknown as CliService;
});

const audit = async (...args: readonly string[]) => {
  const openService = () => Promise.resolve(service);
  const ran = await runGrantbook(['audit', ...args, '--json'], { openService });
  const { error } = ran.json as { readonly error: { readonly code: string; readonly message: string } };
  return { exitCode: ran.exitCode, ...error };
};

const asOf = ['as-of', '--organization', id];
const exposure = ['exposure', '--organization', id, '--addon', id];
const timeline = ['timeline', '--organization', id];
const replay = ['replay', 'grant-G1'];
const exported = ['export', '--organization', id, '-o', '/dev/null/x'];

test.each([
  [asOf, '--at', later, 'in the future'],
  [asOf, '--at', aDayToCome, 'in the future'],
  [asOf, '--position', '5/5', 'after the end of the log'],
  [asOf, '--position', '2/1', 'does not exist'],
  [[...exposure, '--from', '2026-01-01'], '--to', later, 'in the future'],
  [[...exposure, '--to', later], '--from', later, 'in the future'],
  [timeline, '--from', aDayToCome, 'in the future'],
  [timeline, '--to', later, 'in the future'],
  [timeline, '--after', '9/9', 'after the end of the log'],
  [timeline, '--after', '2/1', 'does not exist'],
  [timeline, '--before', '9/9', 'after the end of the log'],
  [timeline, '--before', '2/1', 'does not exist'],
  [replay, '--until', later, 'in the future'],
  [replay, '--until', '9/9', 'after the end of the log'],
  [replay, '--until', '2/1', 'does not exist'],
  [replay, '--until', '1', 'does not exist'],
  [replay, '--from', '1', 'does not exist'],
  [exported, '--from', '2/1', 'does not exist'],
  [exported, '--until', '9/9', 'after the end of the log'],
  [exported, '--until', '2/1', 'does not exist'],
])('HI-01: %j %s %s is refused with 2: it is %s', async (command, option, place, why) => {
  const refused = await audit(...command, option, place);
  expect(refused).toMatchObject({ exitCode: 2, code: 'usage' });
  expect(refused.message).toContain(option);
  expect(refused.message).toContain(why);
});

test.each([
  [[...exposure, '--from', '2026-02-02', '--to', '2026-02-01']],
  [[...timeline, '--from', '2026-02-02', '--to', '2026-02-01']],
  [[...replay, '--from', '3', '--until', '2']],
  [[...exported, '--from', '3/3', '--until', '2/2']],
])('HI-01: %j is refused with 2, for it ends before it begins', async (args) => {
  expect(await audit(...args)).toMatchObject({ exitCode: 2, code: 'usage' });
});

test('HI-01: what is there is let through: a position of an event, a time that has come, and today', async () => {
  const [last] = [`${events}/${events}`];
  for (const args of [
    [...asOf, '--position', last],
    [...asOf, '--at', today],
    [...exposure, '--from', '2026-01-01', '--to', today],
    [...timeline, '--after', '1/1', '--to', today],
    [...timeline, '--before', last],
    [...replay, '--until', '2/2', '--from', '0'],
    [...replay, '--until', today],
  ])
    expect(await audit(...args)).toMatchObject({ exitCode: 1, message: 'Noted: it was let through' });
});

test('HI-01: a time that this machine thinks is in the future, and the log has seen, is accepted', async () => {
  const ahead = { ...service, audit: { ...service.audit, now: () => 0 } };
  const openService = () => Promise.resolve(ahead);
  const ran = await runGrantbook(['audit', ...asOf, '--at', '1970-01-02'], { openService });
  expect(ran.stderr).toContain('let through');
  const beyond = await runGrantbook(['audit', ...asOf, '--at', later], { openService });
  expect(beyond.exitCode).toBe(2);
});
