import type { CommandContext } from './kernel/context.ts';
import type { makeCommands } from './make-commands.ts';

/** The write side as http and cli see it: what `makeCommands` returns, with the types of the commands' own files. */
export type Commands = ReturnType<typeof makeCommands>;

/** For callers that always have a trace: every command that may append requires a context. */
export type CommandsInContext = {
  readonly [N in keyof Commands]: Required<Parameters<Commands[N]>> extends [infer Request, CommandContext]
    ? (request: Request, context: CommandContext) => ReturnType<Commands[N]>
    : Commands[N];
};

/** The same commands for a caller with one context, such as a run of the command line. */
export const inContext = (commands: Commands, context: CommandContext): Commands => {
  const bound = Object.entries(commands).map(([name, command]) => {
    const call = command as (...given: unknown[]) => unknown;
    // The context comes after the arguments. A command that only reads ignores it.
    return [name, (...asked: readonly unknown[]) => call(...asked, context)] as const;
  });
  return Object.fromEntries(bound) as Commands;
};
