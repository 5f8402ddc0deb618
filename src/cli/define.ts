import type { Command } from 'commander';
import type { Answer } from './answer.ts';
import type { CliIo } from './cli-io.ts';
import { parseReason } from './option-values.ts';

/**
 * Runs an action, prints what it answers and keeps its exit code. One that goes on after its answer says it itself and
 * answers null at its end.
 */
export type Run = (action: (say: (answer: Answer) => void) => Promise<Answer | null>) => Promise<void>;

/** Adds one group of commands to the program. */
export type AddCommands = (program: Command, io: CliIo, run: Run) => void;

/** A command that ends in an answer; every one of them takes --json. */
export const leaf = (parent: Command, nameAndArguments: string, description: string): Command =>
  parent
    .command(nameAndArguments)
    .description(description)
    .option('--json', 'answer with one JSON document on standard output');

/** A command that changes something, and takes the reason for it. */
export const changing = (parent: Command, nameAndArguments: string, description: string): Command =>
  leaf(parent, nameAndArguments, description).option(
    '--reason <text>',
    'why, for the history: nothing about a person',
    parseReason,
  );
