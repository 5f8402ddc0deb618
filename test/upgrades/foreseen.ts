import { createHash } from 'node:crypto';
import { idOf, isOfCategory } from '../../src/domain/kernel/stream-name.ts';
import { recordResources } from '../../src/domain/records/record-resources.ts';
import {
  activationStream,
  administratorTokensStream,
  auditStream,
  consentStream,
  deadLettersStream,
  expiredMessagesStream,
  externalIdStream,
  logHeadStream,
  operatorsStream,
  projectionStream,
  recordStream,
  retentionStream,
  signalStream,
  signingKeyStream,
} from '../../src/domain/streams.ts';

const fixed = [
  deadLettersStream,
  expiredMessagesStream,
  logHeadStream,
  operatorsStream,
  retentionStream,
  signingKeyStream,
  auditStream('operator'),
  ...['commands', 'profiles'].map(projectionStream),
  ...['E1', 'E2'].map((id) => externalIdStream(createHash('sha256').update(id).digest('hex'))),
];

/** The streams whose names follow from those that there are: a newer version may be the first to write to them. */
export const foreseenFrom = (streams: readonly string[]): readonly string[] => {
  const idsOf = (category: string) =>
    streams.filter((stream) => isOfCategory(stream, category)).map((stream) => idOf(stream));
  const [organizations, users, addons] = [idsOf('organization'), idsOf('account'), idsOf('addon')];
  return [
    ...fixed,
    ...users.flatMap((id) => [administratorTokensStream(id), auditStream(id)]),
    ...addons.map(signalStream),
    ...organizations.flatMap((id) => recordResources.map((resource) => recordStream(resource, id, 'R1'))),
    ...addons.flatMap((addonId) => [
      ...organizations.map((id) => activationStream(id, addonId)),
      ...[...organizations, ...users].map((id) => consentStream(id, addonId)),
    ]),
  ];
};
