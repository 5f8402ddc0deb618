import { z } from 'zod';
import { instant, maySkip, mustKnow, whole } from '../describe-event.ts';
import { type About, aboutKinds, organization, user } from '../event-subjects.ts';
import { isUserId } from '../kernel/actor.ts';
import { internal } from '../kernel/publication.ts';
import { auditQueries, auditQuerySentence } from './audit-query-sentence.ts';

/** No timeline contains what is about the log or a read model, and no add-on is notified. */
const ofLog = { subjects: null, notices: null };
const ofReadModels = { ...ofLog, kafka: internal('how the read models are kept authorizes no add-on') };

/** Everything in a read model's own stream. */
export const projectionEvents = {
  ProjectionSwapped: mustKnow(
    {
      projection: z.string(),
      version: whole,
      previousVersion: whole,
      at: instant,
    },
    {
      ...ofReadModels,
      sentence: ({ projection, version, previousVersion }, { words }) =>
        words.ProjectionSwapped(projection, version, previousVersion),
    },
  ),
  /** An operator decided that a read model skips one event that it could not apply. */
  ParkedEventSkipped: mustKnow(
    {
      projection: z.string(),
      key: z.string().describe('its stream'),
      eventId: z.string(),
      at: instant,
    },
    {
      ...ofReadModels,
      sentence: ({ projection, key, eventId }, { words }) =>
        projection === 'commands'
          ? words.ParkedEventSkippedByDecisions(eventId, key)
          : words.ParkedEventSkipped(projection, eventId, key),
    },
  ),
};

export const auditQueryEvents = {
  AuditQueried: maySkip(
    {
      organizationId: z.string().nullable().describe('null: not about one organization'),
      query: z.enum(auditQueries),
      parameters: z.array(z.strictObject({ name: z.string(), value: z.string() })),
      at: instant,
    },
    {
      subjects: ({ organizationId, parameters }, { streamId }) => [
        ...(organizationId === null ? [] : [organization(organizationId)]),
        ...(isUserId(streamId.replace('_', '-')) ? [user(streamId)] : []),
        ...parameters.flatMap(({ name, value }): readonly About[] => {
          const kind = aboutKinds.find((known) => known === name);
          const isKnown = value === organizationId || value === streamId;
          return kind === undefined || isKnown ? [] : [{ kind, id: value }];
        }),
      ],
      notices: null,
      kafka: internal('who looked at the history is for those who look into that; it authorizes no add-on'),
      sentence: auditQuerySentence,
    },
  ),
};

/** The signed state of the log at one moment: kept outside, it shows whether the log was cut or rewritten since. */
const head = {
  size: whole,
  root: z.string(),
  position: z.string(),
  previousSize: whole,
  proof: z.array(z.string()),
  jws: z.string(),
  at: instant,
};

export const logHeadEvents = {
  LogHeadSigned: mustKnow(head, {
    ...ofLog,
    kafka: internal('it is about the log, not about anything in it, and is proved with it'),
    sentence: ({ size }, { words }) => words.LogHeadSigned(size),
  }),
};

/** Appended after the events that were copied from another log: here they have new positions and creation times. */
export const logCopyEvents = {
  LogCopied: mustKnow(
    {
      events: whole.describe('without stream metadata'),
      streams: whole,
      streamsLeftOut: whole.describe('deleted streams of the other log'),
      head: z.strictObject(head).describe('the last of the other log'),
      jws: z.string(),
      at: instant,
    },
    {
      ...ofLog,
      kafka: internal('it is about the log, not about anything in it'),
      sentence: ({ events, head }, { words }) => words.LogCopied(events, head.size),
    },
  ),
};

const ofKey = {
  ...ofLog,
  kafka: internal('the keys themselves are at /oauth/jwks; when each was valid is for auditors'),
};

export const signingKeyEvents = {
  /** A key that signs id_tokens, heads and exports was made, and may become public. The private half is not stored here. */
  SigningKeyMade: mustKnow(
    {
      kid: z.string().describe('thumbprint (RFC 7638)'),
      alg: z.string(),
      publicJwk: z.string().describe('RFC 7517 §4, as JSON'),
      createdAt: instant,
      currentFrom: instant,
      at: instant,
    },
    {
      ...ofKey,
      sentence: ({ kid, alg, currentFrom }, { words, time }) =>
        words.SigningKeyMade(alg, kid, time(currentFrom)),
    },
  ),
  SigningKeyPublished: mustKnow(
    { kid: z.string(), at: instant },
    { ...ofKey, sentence: ({ kid }, { words }) => words.SigningKeyPublished(kid) },
  ),
  /** From `at` on it signs nothing. */
  SigningKeyRetired: mustKnow(
    {
      kid: z.string(),
      at: instant,
      publishedUntil: instant.describe('in the JWKS'),
      reason: z.enum(['superseded', 'missing']).describe('`missing`: deleted from the database'),
      successor: z.string().nullable(),
    },
    {
      ...ofKey,
      sentence: ({ kid, publishedUntil, reason }, { words, time }) =>
        reason === 'missing'
          ? words.SigningKeyMissing(kid)
          : words.SigningKeyRetired(kid, time(publishedUntil)),
    },
  ),
};

/** What documented retention removes from the log, with the names of docs/reference/retention.md. */
export const retentionCategories = ['session', 'unredeemed-grant', 'addon-token'] as const;

/** Appended before streams are removed: nothing may depend on them, and only what it names may be missing. */
export const retentionEvents = {
  StreamsRemoved: mustKnow(
    {
      category: z.enum(retentionCategories),
      /**
       * `id`: after the first dash of the stream's name. `leaves`: indexes of its events in the tree, from 0; `hashes`: theirs, base64url,
       * from which the tree can be built without tiles.
       */
      streams: z.array(
        z.strictObject({ id: z.string(), leaves: z.array(whole), hashes: z.array(z.string()) }),
      ),
      /** Number of events of each category removed so far, including these. The last is absent until there are some. */
      total: z.strictObject({
        session: whole,
        'unredeemed-grant': whole,
        'addon-token': whole.optional(),
      }),
      at: instant,
    },
    {
      ...ofLog,
      kafka: internal('what is removed authorizes no add-on, and was published, or not, when it came'),
      sentence: ({ category, streams }, { words }) => words.StreamsRemoved(streams.length, category),
    },
  ),
};
