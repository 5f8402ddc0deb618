import type { Command } from 'commander';
import type { Answer } from './answer.ts';
import type { CliIo } from './cli-io.ts';
import { parseReason } from './option-values.ts';

/** Runs an action, prints its answer and keeps its exit code. One that continues after its answer calls `say` and returns null. */
export type Run = (action: (say: (answer: Answer) => void) => Promise<Answer | null>) => Promise<void>;

export type AddCommands = (program: Command, io: CliIo, run: Run) => void;

/** A command that ends with an answer; each has --json. */
export const leaf = (parent: Command, nameAndArguments: string, description: string): Command =>
  parent
    .command(nameAndArguments)
    .description(description)
    .option('--json', 'print one JSON document on standard output');

const withReason = new WeakSet<Command>();

/** A command that changes something; it has --reason, which every event of the run says. */
export const changing = (parent: Command, nameAndArguments: string, description: string): Command => {
  const command = leaf(parent, nameAndArguments, description).option(
    '--reason <text>',
    'why, for the audit log: nothing about a person',
    parseReason,
  );
  withReason.add(command);
  return command;
};

/** The `--reason` of a command that `changing` made. */
export const reasonOf = (command: Command): string | undefined =>
  withReason.has(command) ? command.opts<{ readonly reason?: string }>().reason : undefined;
