import type { CommandContext } from './context.ts';
import type { makeCommands } from './make-commands.ts';

/** The write side as http and cli see it: what `makeCommands` lists, each with the types of its own file. */
export type Commands = ReturnType<typeof makeCommands>;

/** For callers that always act in a trace: whatever may append, and so takes a context, asks for one. */
export type CommandsInContext = {
  readonly [N in keyof Commands]: Required<Parameters<Commands[N]>> extends [infer Request, CommandContext]
    ? (request: Request, context: CommandContext) => ReturnType<Commands[N]>
    : Commands[N];
};

/** The same commands for whoever acts in one context all the time, as a run of the command line. */
export const inContext = (commands: Commands, context: CommandContext): Commands => {
  const bound = Object.entries(commands).map(([name, command]) => {
    const call = command as (...given: unknown[]) => unknown;
    // After what it is asked comes the context; a command that only reads takes none, and looks at none.
    return [name, (...asked: readonly unknown[]) => call(...asked, context)] as const;
  });
  return Object.fromEntries(bound) as Commands;
};
