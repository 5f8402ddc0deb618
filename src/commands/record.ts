import type { Decider, Decision } from '../domain/decision.ts';
import type { DomainEvent } from '../domain/events.ts';
import { judgeRecord, type RecordCommand, type RecordRefusal, type RecordState } from '../domain/record.ts';
import type { StreamName } from '../domain/streams.ts';
import type { RecordOutcome, RecordRequest } from './commands.ts';
import { handle, unseen } from './handle.ts';
import type { CommandNeeds } from './needs.ts';
import { rerunUnknown } from './rerun-unknown.ts';

export type RecordNeeds = Pick<CommandNeeds, 'store' | 'now'>;

type Resource<T, E> = {
  readonly streamOf: (organizationId: string, id: string) => StreamName;
  readonly decider: Decider<RecordState<T>, E>;
  readonly decide: (known: RecordState<T>, command: RecordCommand<T>) => Decision<E, RecordRefusal>;
};

/**
 * One round trip for a record that is new, which most of an import are: it is appended as the first of its stream,
 * and only a conflict loads what is there. Event ids stay random on purpose: with ids made of the version, the log
 * would call a repeat of the first version a success, and it would be counted as added again, even after newer ones.
 */
export const makeRecord =
  <T extends object, E extends DomainEvent>(
    { store, now }: RecordNeeds,
    { streamOf, decider, decide }: Resource<T, E>,
  ) =>
  async (request: RecordRequest<T>): Promise<RecordOutcome> => {
    const command = { ...request, now: now() };
    const { before, position } = await rerunUnknown(() =>
      handle(
        store,
        streamOf(request.organizationId, request.id),
        decider,
        (known) => decide(known, command),
        { assume: unseen(decider) },
      ),
    );
    const judgement = judgeRecord(before, command);
    if (judgement === 'older-version' || judgement === 'version-conflict')
      return { ok: false, refusal: judgement };
    return { ok: true, value: { effect: judgement, position } };
  };
