import { z } from 'zod';
import { instant, mustKnow, type SentenceContext } from '../describe-event.ts';
import { addon, organization, owned, thisSession } from '../event-subjects.ts';
import { internal } from '../kernel/publication.ts';
import { accountPerson } from '../personal-data.ts';
import { sessionStream } from '../streams.ts';

const ofSession = {
  subjects: thisSession,
  /** How people sign in is not disclosed to add-ons. */
  notices: null,
  kafka: internal('whether and when a person signs in authorizes no add-on'),
};
const userIn = ({ owner, user }: SentenceContext): string | null =>
  owner?.userId ? user(owner.userId) : null;

/** A browser session. The cookie's secret part is an HMAC over the session's id and `salt`. */
export const sessionEvents = {
  SessionStarted: mustKnow(
    {
      sessionId: z.string(),
      userId: z.string(),
      keyId: z.string(),
      salt: z.string(),
      at: instant,
      expiresAt: instant,
      device: z.string().nullable(),
      network: z.string().nullable(),
      /** A sign-in with a provider: its id in our settings and what it says; `authTime` null where it does not. Null: password or passkey. */
      upstream: z
        .strictObject({
          provider: z.string(),
          authTime: instant.nullable(),
          acr: z.string().nullable(),
          amr: z.array(z.string()).nullable(),
        })
        .nullable(),
      passkey: z
        .strictObject({ passkeyId: z.string(), amr: z.array(z.string()) })
        .nullable()
        .describe('`amr`: its methods by RFC 8176'),
    },
    {
      ...ofSession,
      personal: { fields: ['device', 'network'], subject: ({ userId }) => accountPerson(userId) },
      ownStream: ({ sessionId }) => sessionStream(sessionId),
      sentence: ({ sessionId, userId, expiresAt, upstream, passkey }, { words, user, time }) =>
        words.SessionStarted(
          user(userId),
          upstream && upstream.provider,
          passkey && passkey.passkeyId,
          sessionId,
          time(expiresAt),
        ),
    },
  ),
  /** Proof that this browser just activated the add-on: the hint in the configuration URL proves nothing (AC-01). */
  ActivationHandedOff: mustKnow(
    { organizationId: z.string(), addonId: z.string(), at: instant, expiresAt: instant },
    {
      ...ofSession,
      subjects: ({ organizationId, addonId }, place) => [
        organization(organizationId),
        addon(addonId),
        ...owned(place),
      ],
      kafka: internal('it is how one browser gets from the activation to the add-on'),
      sentence: ({ organizationId, addonId }, context) =>
        context.words.ActivationHandedOff(
          userIn(context),
          context.addon(addonId),
          context.organization(organizationId),
          context.streamId,
        ),
    },
  ),
  SessionEnded: mustKnow(
    { at: instant },
    {
      ...ofSession,
      sentence: (_, context) => context.words.SessionEnded(userIn(context), context.streamId),
    },
  ),
};
