import type { LogReader, EventStore } from '../../eventstore/event-store.ts';
import type { DepositTable } from '../../projections/log-guard/head-deposits-table.ts';
import { ProxyFailed } from '../../common/outgoing/proxies.ts';
import { headsFrom, newestHead, type LoggedHead } from '../log-heads/read-heads.ts';

/** A place outside where heads of the log are kept. */
export type DepositTarget = {
  readonly name: 'directory' | 'topic' | 'timestamp';
  /** A repeat is no error. @throws when the head is not there afterwards */
  deposit(head: LoggedHead, signal: AbortSignal): Promise<void>;
};

export type DepositDependencies = {
  readonly store: Pick<EventStore, 'readBack'> & LogReader;
  readonly table: DepositTable;
  readonly targets: readonly DepositTarget[];
  readonly now: () => number;
  readonly logger: { warn(context: object, message: string): void };
};

/** Deposits every head that a target does not have yet, the oldest first; a new target begins with the newest. Failures are recorded, never thrown. */
export const depositHeads = async (dependencies: DepositDependencies, signal: AbortSignal): Promise<void> => {
  for (const target of dependencies.targets) {
    await expect(dependencies, target.name);
    for (const revision of await dependencies.table.waiting(target.name)) {
      if (signal.aborted || !(await depositOne(dependencies, target, revision, signal))) break;
    }
  }
};

const expect = async (
  { store, table }: DepositDependencies,
  target: DepositTarget['name'],
): Promise<void> => {
  const known = await table.newest(target);
  const newest = known === null ? await newestHead(store) : null;
  const heads = known === null ? (newest ? [newest] : []) : await headsFrom(store, known + 1n);
  await table.expect(target, heads);
};

const depositOne = async (
  { store, table, now, logger }: DepositDependencies,
  target: DepositTarget,
  revision: bigint,
  signal: AbortSignal,
): Promise<boolean> => {
  const [head] = await headsFrom(store, revision, 1);
  try {
    if (!head) throw new Error('the log has no such head any more');
    await target.deposit(head, signal);
  } catch (error) {
    const why = whyNot(error);
    await table.failed(target.name, revision, why);
    logger.warn(
      { target: target.name, size: head?.size, cause: why },
      'a signed head of the log could not be deposited; it is tried again within a minute',
    );
    return false;
  }
  await table.deposited(target.name, revision, now());
  return true;
};

/** Without addresses and secrets: only names of errors and of the part that failed. */
const whyNot = (error: unknown): string => {
  if (error instanceof ProxyFailed) return error.message;
  const { cause, code, name, message } = error as NodeJS.ErrnoException & { readonly cause?: unknown };
  const inner = (cause as NodeJS.ErrnoException | undefined)?.code;
  if (name === 'TimeoutError') return 'no answer in time';
  return inner ?? code ?? `${message}`.slice(0, 200);
};
