import { bearerKinds, type AdminCall, type Call, type Excuses, type RoundHistory } from './history.ts';

export type Violation = {
  readonly rule: 'P1' | 'P2' | 'failure' | 'refused' | 'useless' | 'receipt' | 'ledger';
  readonly what: string;
};

const kinds = [...bearerKinds, 'exchange', 'refresh'] as const;

/**
 * What is wrong with a round, from the times alone (the log is judged in ledger.ts). A service that refuses everything
 * does not pass either: while the activation lives every request here is right, and each kind has to have worked.
 */
export const judgeRound = (round: RoundHistory): readonly Violation[] => [
  ...round.calls.flatMap((call) => afterTheEnd(round, call)),
  ...round.calls.flatMap((call) => failures(call, round.excuses)),
  ...round.calls.filter((call) => wasAlive(round, call)).flatMap((call) => refusals(call, round.excuses)),
  ...kinds
    .filter(
      (kind) => !round.calls.some((call) => call.kind === kind && call.accepted && wasAlive(round, call)),
    )
    .map((kind): Violation => ({ rule: 'useless', what: `no ${kind} worked while the add-on was active` })),
  ...round.adminCalls.flatMap((call) => adminFailures(round, call)),
];

/** P1 and P2: accepted, although the request began when the deactivation had been answered. */
const afterTheEnd = ({ ends }: RoundHistory, call: Call): readonly Violation[] => {
  const ended = ends.get(call.epoch)?.answered ?? null;
  if (!call.accepted || ended === null || call.began <= ended) return [];
  const late = (call.began - ended).toFixed(2);
  const what = `${call.kind} at instance ${call.place} with a credential of epoch ${call.epoch} was accepted; it began ${late} ms after the deactivation's answer`;
  return [{ rule: call.kind === 'exchange' || call.kind === 'refresh' ? 'P2' : 'P1', what }];
};

const isExcused = (call: Pick<Call, 'status' | 'place'>, { unavailable, lostAt }: Excuses): boolean =>
  call.status === null ? call.place === lostAt : call.status === 503 && unavailable;

const failures = (call: Call, excuses: Excuses): readonly Violation[] => {
  if ((call.status !== null && call.status < 500) || isExcused(call, excuses)) return [];
  return [{ rule: 'failure', what: `${call.kind} at instance ${call.place}: ${call.status ?? 'no answer'}` }];
};

/** It began after the activation was answered, and was answered before the deactivation was sent. */
const wasAlive = ({ epoch, activated, ends }: RoundHistory, call: Call): boolean =>
  call.epoch === epoch && call.began > activated && call.answered < (ends.get(epoch)?.began ?? Infinity);

const refusals = (call: Call, excuses: Excuses): readonly Violation[] => {
  if (call.accepted || call.status === null || call.status >= 500 || isExcused(call, excuses)) return [];
  const what = `${call.kind} at instance ${call.place} was refused with ${call.status} while the add-on was active`;
  return [{ rule: 'refused', what }];
};

const adminFailures = ({ epoch, excuses }: RoundHistory, call: AdminCall): readonly Violation[] => {
  const { kind, place, status } = call;
  if (status !== 200)
    return isExcused(call, excuses)
      ? []
      : [{ rule: 'failure', what: `${kind} at instance ${place}: ${status ?? 'no answer'}` }];
  const expected = kind === 'activate' ? epoch + 1 : epoch;
  if (call.epoch === expected) return [];
  return [{ rule: 'receipt', what: `${kind} in epoch ${epoch} names epoch ${call.epoch}` }];
};
