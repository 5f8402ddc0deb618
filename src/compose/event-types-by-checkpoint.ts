import type { EventType } from '../domain/events.ts';
import { relayCheckpoint } from '../reactions/relay.ts';
import { revocationCauses, revocationsCheckpoint } from '../reactions/make-revocations.ts';
import { publishedTypes } from '../kafka/contract/decisions.ts';
import { liveReadModels } from '../projections/follow/checkpoint.ts';
import { historyGroup, historyTypes } from '../projections/history/history.ts';
import { eventTypesOf } from '../projections/follow/projector.ts';
import { readModelProjections } from '../projections/read-model-projections.ts';
import { signalsGroup, signalsTypes } from '../signals/projection.ts';

/**
 * Version 0.1.0 does not read that an event may be skipped (ADR 77): its leaders would stand by at these. They are not noted, so that it
 * passes over them unseen: read models and timelines may lack them until a rebuild; decisions, `GET` and `audit replay` read the log.
 */
const unknownBefore: ReadonlySet<EventType> = new Set([
  'DeadLetterResent',
  'DeadLetterShown',
  'PasswordLinkNotMailed',
  'HostMessagesExpired',
  'ExpiredMessagesConfirmed',
  'AddonPropertiesReplaced',
  'PublisherCreated',
  'PublisherRenamed',
  'PublisherMemberAdded',
  'PublisherMemberRemoved',
  'PublishersMapped',
  'AddonPublisherSet',
  'AddonVerificationSet',
  'AddonChangeRequested',
  'AddonChangeApproved',
  'AddonChangeRefused',
  'AddonChangeWithdrawn',
  'OrganizationShownToPublishers',
  'PreferencesChosen',
]);

const known = (types: readonly EventType[]) => types.filter((type) => !unknownBefore.has(type));

/** Which event types are read from each checkpoint on. The others read everything. */
export const eventTypesByCheckpoint = (
  withKafka: boolean,
): Readonly<Record<string, readonly EventType[]>> => ({
  [liveReadModels]: known(eventTypesOf(readModelProjections)),
  [revocationsCheckpoint]: revocationCauses,
  [historyGroup]: known(historyTypes),
  [signalsGroup]: known(signalsTypes),
  ...(withKafka && { [relayCheckpoint]: known(publishedTypes) }),
});
