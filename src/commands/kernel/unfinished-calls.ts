import type { CommandContext } from './context.ts';
import { ChangedMeanwhile } from './handle.ts';

/** A call that appends to several streams, while it does. */
export type UnfinishedCall = {
  /** The command's name among all commands. */
  readonly command: string;
  readonly request: unknown;
  /** What its events say of who called, and why. */
  readonly context: Pick<CommandContext, 'traceparent' | 'acting' | 'reason'> | null;
};

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
  ): Command<Request, Result> =>
  async (request, context) => {
    const end = await unfinished?.begin({ command: name, request, context: lasting(context) });
    const result = await run(request, context).catch(async (error: unknown) => {
      // What it did is undone; anything else leaves open what was appended.
      if (error instanceof ChangedMeanwhile) await end?.();
      throw error;
    });
    await end?.();
    return result;
  };

const lasting = (context: CommandContext | undefined): UnfinishedCall['context'] => {
  if (!context) return null;
  const { traceparent, acting, reason } = context;
  return { traceparent, ...(acting && { acting }), ...(reason !== undefined && { reason }) };
};

/** @returns how many @throws what the table or a command throws: it is tried again later */
export const completeUnfinished = async (
  takeOld: () => Promise<readonly (UnfinishedCall & { readonly end: () => Promise<void> })[]>,
  commands: Readonly<Record<string, unknown>>,
): Promise<number> => {
  const calls = await takeOld();
  for (const { command, request, context, end } of calls) {
    await (commands[command] as Command<unknown, unknown>)(request, context ?? undefined);
    await end();
  }
  return calls.length;
};
