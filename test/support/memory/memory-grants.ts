import type { GrantToEnd } from '../../../src/reactions/end-grants.ts';
import type { ActivationEpoch, EpochGrants } from '../../../src/reactions/revoke-on-deactivation.ts';
import type { OwnGrants } from '../../../src/reactions/make-revocations.ts';
import {
  type GrantRevocationReason,
  type GrantTerms,
  usableUntil,
} from '../../../src/domain/access/grant.ts';
import type { RecordedEvent } from '../../../src/eventstore/event-store.ts';

type Log = { readonly all: () => readonly RecordedEvent[] };

export type Row = {
  readonly terms: GrantTerms;
  readonly issued: bigint;
  readonly revision: bigint;
  readonly expiresAt: number;
  readonly ended: GrantRevocationReason | null;
  readonly endedAt: number;
};

/** The grants as the projector would write them. */
export const rowsOf = ({ all }: Log): readonly Row[] => {
  const rows = new Map<string, Row>();
  for (const { stream, position, event } of all()) {
    if (event.type === 'AuthorizationCodeIssued')
      rows.set(stream, {
        terms: event.data,
        issued: position.commit,
        revision: 0n,
        expiresAt: event.data.expiresAt,
        ended: null,
        endedAt: 0,
      });
    const row = rows.get(stream);
    if (!row) continue;
    if (event.type === 'AuthorizationCodeRedeemed' || event.type === 'TokensRefreshed')
      rows.set(stream, { ...row, revision: row.revision + 1n, expiresAt: usableUntil(event.data) });
    if (event.type === 'GrantRevoked')
      rows.set(stream, { ...row, ended: event.data.reason, endedAt: event.data.at });
  }
  return [...rows.values()];
};

const isOf =
  ({ organizationId, addonId, epoch }: ActivationEpoch) =>
  ({ terms: { subject, addonId: by } }: Row): boolean =>
    subject.kind === 'organization' &&
    subject.organizationId === organizationId &&
    by === addonId &&
    subject.epoch === epoch;

function* pagesOf(rows: readonly Row[], size: number): Generator<readonly GrantToEnd[]> {
  for (let from = 0; from < rows.length; from += size)
    yield rows.slice(from, from + size).map(({ terms: { grantId }, revision }) => ({ grantId, revision }));
}

export type MemoryGrantsOptions = {
  readonly pageSize?: number;
  /** Called before each page and each count, in place of I/O; its errors are passed on. */
  readonly step?: (name: 'page' | 'count') => Promise<void> | void;
  /** Whether pages already know the ends in the log. They always know the codes. */
  readonly knowsEnds?: () => boolean;
};

/** The read models' knowledge of an epoch's grants, from a log in memory. */
export const memoryEpochGrants = (log: Log, options: MemoryGrantsOptions = {}): EpochGrants => {
  const { pageSize = 2, step = () => undefined, knowsEnds = () => true } = options;
  return {
    async *live(of) {
      const rows = rowsOf(log).filter((row) => isOf(of)(row) && !(knowsEnds() && row.ended));
      for (const page of pagesOf(rows, pageSize)) {
        await step('page');
        yield page;
      }
    },
    async countEnded(of) {
      await step('count');
      return rowsOf(log).filter(
        (row) => isOf(of)(row) && row.ended === 'addon-deactivated' && row.expiresAt > of.at,
      ).length;
    },
  };
};

/** The grants of a user's own data whose code was issued before a given point, from a log in memory. */
export const memoryOwnGrants = (log: Log): OwnGrants =>
  async function* ({ userId, addonId, upTo }) {
    const isEndable = ({ terms, issued, ended }: Row) =>
      terms.subject.kind === 'user' &&
      terms.subject.userId === userId &&
      (addonId === null || terms.addonId === addonId) &&
      issued < upTo.commit &&
      ended === null;
    await Promise.resolve();
    yield* pagesOf(rowsOf(log).filter(isEndable), 2);
  };
