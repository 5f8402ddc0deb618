import { comparePositions } from '../../../src/eventstore/event-store.ts';
import type { Call, EpochEnd } from './history.ts';
import { epochKey, issuanceKey, type LogWatch } from './log-watch.ts';
import type { Violation } from './referee.ts';

/** What the log has to say about one pair at the end of a run. */
export type PairLedger = {
  readonly organizationId: string;
  readonly addonId: string;
  readonly ends: ReadonlyMap<number, EpochEnd>;
  /** Every grant that was made, by epoch. */
  readonly grants: ReadonlyMap<number, readonly string[]>;
};

type Log = Pick<LogWatch, 'issuances' | 'revocations' | 'deactivations' | 'completions'>;

/** P2 by the log: a pair that was answered, although its event follows one that was appended after the answer. */
export const judgeIssuance = (
  { kind, place, epoch, accepted, issued }: Pick<Call, 'kind' | 'place' | 'epoch' | 'accepted' | 'issued'>,
  ends: ReadonlyMap<number, EpochEnd>,
  { issuances }: Pick<Log, 'issuances'>,
): readonly Violation[] => {
  if (!accepted || !issued) return [];
  const at = issuances.get(issuanceKey(issued.grantId, issued.rotation));
  const who = `${kind} at instance ${place} in epoch ${epoch}, rotation ${issued.rotation}`;
  if (!at) return [{ rule: 'ledger', what: `${who}: the pair that was answered is not in the log` }];
  const marker = ends.get(epoch)?.marker ?? null;
  return marker && comparePositions(at, marker) > 0
    ? [{ rule: 'P2', what: `${who}: answered, although the log has it after the deactivation's answer` }]
    : [];
};

/** DE-04: one end per epoch, one GrantRevoked per grant, one RevocationCompleted that counts them, none twice. */
export const judgeLedger = (pair: PairLedger, log: Log): readonly Violation[] =>
  [...pair.ends.keys()].flatMap((epoch) => judgeEpoch(pair, epoch, log));

const judgeEpoch = (
  { organizationId, addonId, grants }: PairLedger,
  epoch: number,
  { revocations, deactivations, completions }: Log,
): readonly Violation[] => {
  const key = epochKey(organizationId, addonId, epoch);
  const wrong: string[] = [];
  const ended = deactivations.get(key) ?? 0;
  if (ended !== 1) wrong.push(`${ended} AddonDeactivated`);
  const completed = completions.get(key) ?? [];
  if (completed.length !== 1) wrong.push(`${completed.length} RevocationCompleted`);
  const ofEpoch = (grants.get(epoch) ?? []).map((grantId) => revocations.get(grantId));
  const counts = ofEpoch.map((revoked) => revoked?.count ?? 0);
  for (const count of counts) if (count !== 1) wrong.push(`a grant with ${count} GrantRevoked`);
  const byIt = ofEpoch.filter((revoked) => revoked?.reason === 'addon-deactivated').length;
  if (completed.length === 1 && completed[0] !== byIt)
    wrong.push(`RevocationCompleted counts ${completed[0]} grants, ${byIt} were revoked for it`);
  return wrong.map((what) => ({ rule: 'ledger', what: `epoch ${epoch}: ${what}` }));
};
