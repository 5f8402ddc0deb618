import type { CommandContext } from './context.ts';
import type { StreamName } from '../../domain/streams.ts';
import type { RecordedEvent } from '../../eventstore/event-store.ts';
import { ChangedMeanwhile } from './handle.ts';

/** A call that appends to several streams, while it does. */
export type UnfinishedCall = {
  /** The command's name among all commands. */
  readonly command: string;
  readonly request: unknown;
  readonly context: CallContext | null;
};

/** What its events say of who called, and why, and the newest revision of each stream to which it is to append; null: there is none. */
type CallContext = Pick<CommandContext, 'traceparent' | 'acting' | 'reason'> & { readonly since?: Since };
type Since = NonNullable<CommandContext['completing']>;

/** Where the instances share which calls have begun: one whose process was killed is completed (FX-52). */
export type UnfinishedCalls = {
  /** Before its first append. @returns what its end calls */
  begin(call: UnfinishedCall): Promise<() => Promise<void>>;
};

export type Command<Request, Result> = (request: Request, context?: CommandContext) => Promise<Result>;

/** The command, which can be repeated: where its process is killed, another one runs it again. @param name of the command among all */
export const completedIfKilled =
  <Request, Result>(
    unfinished: UnfinishedCalls | undefined,
    name: string,
    run: Command<Request, Result>,
  ): ((request: Request, context?: CommandContext, since?: Since) => Promise<Result>) =>
  async (request, context, since) => {
    if (context?.completing) return run(request, context); // it is noted already
    const end = await unfinished?.begin({ command: name, request, context: lasting(context, since) });
    const result = await run(request, context).catch(async (error: unknown) => {
      // What it did is undone; anything else leaves open what was appended.
      if (error instanceof ChangedMeanwhile) await end?.();
      throw error;
    });
    await end?.().catch(() => undefined); // it has ended: a completion finds nothing to do
    return result;
  };

const lasting = (context: CommandContext | undefined, since: Since | undefined): CallContext | null => {
  if (!context) return null;
  const { traceparent, acting, reason } = context;
  return {
    traceparent,
    ...(acting && { acting }),
    ...(reason !== undefined && { reason }),
    ...(since && { since }),
  };
};

export const sinceOf = (streams: ReadonlyMap<StreamName, readonly RecordedEvent[]>): Since =>
  Object.fromEntries(
    [...streams].map(([stream, events]) => [stream, events.at(-1)?.revision.toString() ?? null]),
  );

/** The stream that somebody else changed after the call began that is completed here. @param streams that are still to be changed */
export const overtakenIn = (
  streams: ReadonlyMap<StreamName, readonly RecordedEvent[]>,
  context: CommandContext | undefined,
): StreamName | undefined => {
  const since = context?.completing;
  if (!since) return undefined;
  const isLater = ({ stream, revision, metadata }: RecordedEvent) =>
    stream in since && revision > BigInt(since[stream] ?? -1) && metadata.traceparent !== context.traceparent;
  return [...streams].find(([, events]) => events.some(isLater))?.[0];
};

export type Completed = {
  readonly completed: number;
  /** Of those that are not completed, because what they were to change was changed since. */
  readonly overtaken: number;
  /** Of those that are tried again later. */
  readonly failures: readonly unknown[];
};

/** @throws what the table throws */
export const completeUnfinished = async (
  takeOld: () => Promise<readonly (UnfinishedCall & { readonly end: () => Promise<void> })[]>,
  commands: Readonly<Record<string, unknown>>,
): Promise<Completed> => {
  let [completed, overtaken] = [0, 0];
  const failures: unknown[] = [];
  for (const { command, request, context: noted, end } of await takeOld())
    try {
      const { since: completing = {}, ...context } = { ...noted } as CallContext;
      await (commands[command] as Command<unknown, unknown>)(request, { ...context, completing });
      await end();
      completed += 1;
    } catch (error) {
      if (error instanceof ChangedMeanwhile) {
        overtaken += 1;
        await end();
      } else failures.push(error);
    }
  return { completed, overtaken, failures };
};
