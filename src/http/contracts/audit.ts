import { z } from 'zod';
import { endReasons } from '../../audit/timeline/timeline.ts';
import { typesWithSubjects } from '../../domain/events.ts';
import { scopes } from '../../domain/access/scope.ts';
import { parseTime } from '../../audit/timeline/parse-time.ts';
import { parsePosition } from '../../audit/timeline/position-text.ts';
import { anEnd, anEndOfTime, readBy } from '../../tasks/audit-questions.ts';
import { isUlid } from '../../domain/kernel/ids.ts';
import { link } from './list-page.ts';
import { instant, ulid } from './fields.ts';

const aPosition = {
  pattern: '^\\d+/\\d+$',
  description: 'A place in the log: commit and prepare position.',
  examples: ['8231/8231'],
};
const position = () => z.string().meta(aPosition);
const placeInLog = () => readBy(parsePosition).meta(aPosition);

/** For pages of events and of grants; the command line can return more. */
export const mostPerPage = 100;

const anId = readBy((text) => (isUlid(text) ? text : null)).meta({ ...ulid().meta() });
const id = (what: string) => anId.optional().describe(what);
const time = (what: string, read = parseTime) =>
  readBy(read)
    .optional()
    .meta({ description: `${what} (RFC 3339, or a date, which is meant in UTC).`, examples: ['2026-05-01'] });

const concerning = {
  addon: id('Only what concerns this add-on: its `client_id`.'),
  user: id('Only what concerns this user.'),
};
const limit = z.int().min(1).max(mostPerPage).default(50);

export const timelineQuery = z.strictObject({
  ...concerning,
  grant: id('Only what concerns this grant.'),
  type: z
    .enum(typesWithSubjects)
    .optional()
    .describe('Only events of this type. Without it, all but `AuditQueried`: searches of the log.'),
  actor: readBy((text) => (/^(?:addon:)?[A-Za-z0-9_-]{1,64}$/.test(text) ? text : null))
    .optional()
    .meta({
      description: 'Only acts of this user id, `break-glass`, or `addon:` with a client_id.',
      examples: ['break-glass'],
    }),
  from: time('Only from this time on'),
  to: time('Only up to this time (not in the future)', anEndOfTime),
  limit: limit.describe('The maximum number of events in an answer.'),
  after: placeInLog().optional().describe('Only events after this position. Default: from the beginning.'),
  before: readBy(anEnd)
    .optional()
    .meta({
      description: 'The last events before this position, or before `end`. Not together with `after`.',
      examples: ['end'],
    }),
});

export const grantsQuery = z.strictObject({
  ...concerning,
  from: time('Start of the period in which the grants existed'),
  to: time('End of that period (not in the future)', anEndOfTime),
  limit: limit.describe('The maximum number of grants in an answer.'),
  before: placeInLog().optional().describe('Only grants that were issued before this position.'),
});

/** What forms of auditors ask besides. */
export const formQuery = z.strictObject({
  days: z.int().min(0).max(3650).optional(),
  after_grant: anId.optional(),
});

const named = z
  .object({
    kind: z.enum(['organization', 'addon', 'user', 'grant']),
    id: z.string(),
    name: z.string().nullable().describe('As it is now; `null` where none is known.'),
  })
  .describe('Somebody or something, with the name that it has now.');

const actor = z
  .union([
    z.object({ kind: z.enum(['user', 'addon']), id: z.string(), name: z.string().nullable() }),
    z.object({ kind: z.literal('break-glass') }),
    z.object({ kind: z.literal('service'), id: z.string() }),
  ])
  .describe('The actor: `service` is Grantbook itself, `break-glass` a command-line user without sign-in.');

const told = z
  .object({
    addon: named,
    event: z.string().describe('The type of the event in the SET: a URI.'),
    jti: z.string().describe('The id of the SET.'),
    state: z
      .enum(['waiting', 'acknowledged', 'refused'])
      .describe('`refused`: the receiver reported an error in place of an acknowledgement.'),
    acknowledged_at: instant()
      .nullable()
      .describe(
        'When the receiver acknowledged or refused it; `null`: not yet. With `waiting` it was offered again since, by a replay.',
      ),
  })
  .describe(
    'A Security Event Token (SET) that notifies an add-on of the event, with the state of its delivery.',
  );

export const timelineEntry = z
  .object({
    position: position(),
    time: instant().describe('When the log stored it.'),
    type: z.string().describe('The event’s type.'),
    what: z.string().describe('What happened, in plain words.'),
    why: z.string().nullable().describe('The reason, where there is more to say.'),
    actor: actor.nullable().describe('`null` where the log does not say it.'),
    token_id: z.string().nullable().describe('The administrator token that the actor’s program used.'),
    concerns: z.array(named).readonly().describe('The subjects of the event.'),
    told: z
      .array(told)
      .readonly()
      .describe(
        'The messages about this organization that add-ons got of the event, with their state now. Not from the log: kept for `SIGNALS_RETENTION_DAYS`, at most until the add-on’s stream is deleted.',
      ),
    stream: z.string(),
    revision: z.int().min(0),
    event_id: z.string(),
  })
  .describe('One event of the log.');

export const auditedOrganizations = z.object({
  items: z.array(z.object({ organization_id: ulid(), name: z.string() })),
});

const links = z
  .array(link)
  .max(2)
  .describe('Links to the previous and next page, with the same filters; follow them unmodified.');
const earlier = position().nullable().describe('To be sent as `before` for what comes before these.');

export const timelinePage = z
  .object({
    about: named,
    entries: z.array(timelineEntry).max(mostPerPage).describe('The oldest first.'),
    earlier,
    later: position().nullable().describe('To be sent as `after` for what follows.'),
    up_to: position()
      .nullable()
      .describe('The position up to which events are indexed; newer ones are missing.'),
    dropped: z
      .array(z.string().regex(/^\d{4}-\d{2}$/))
      .max(1200)
      .describe(
        'Months of the index that were dropped, in the range of the page; their events are not included.',
      ),
    _links: links,
  })
  .describe('What happened.');

const grantBar = z
  .object({
    grant_id: z.string(),
    subject: named.describe('Whose records it opened.'),
    approved_by: named,
    addon: named,
    scopes: z.array(z.enum(scopes)).readonly(),
    issued_at: instant(),
    redeemed_at: instant().nullable().describe('When the code was exchanged for tokens; `null`: never.'),
    ended_at: instant().nullable().describe('`null`: not yet.'),
    reason: z.enum(endReasons).nullable(),
    why: z.string().nullable().describe('The same in plain words.'),
  })
  .describe('A grant from issue to end.');

export const grantBars = z
  .object({
    grants: z.array(grantBar).max(mostPerPage).describe('In the order in which they were issued.'),
    earlier,
    _links: links,
  })
  .describe('Grants, and when they were open.');

export type AuditedOrganizations = z.infer<typeof auditedOrganizations>;
export type TimelineAnswer = z.infer<typeof timelinePage>;
export type GrantsAnswer = z.infer<typeof grantBars>;

export const auditAnswer = z
  .record(z.string(), z.unknown())
  .describe('What the command line prints with `--json`.');
