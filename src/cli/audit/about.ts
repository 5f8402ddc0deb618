import type { Command } from 'commander';
import { type About, aboutKinds } from '../../domain/event-subjects.ts';
import { parseId } from '../base/option-values.ts';

export type AboutOptions = {
  readonly organization?: string;
  readonly addon?: string;
  readonly user?: string;
  readonly grant?: string;
};

/** Adds the options that say what a query is about; exactly one is needed. */
export const withAbout = (command: Command): Command =>
  command
    .option('--organization <organization>', 'what happened to this organization_id', parseId)
    .option('--addon <id>', 'what happened to this client_id', parseId)
    .option('--user <id>', 'what happened to this user_id', parseId)
    .option('--grant <id>', 'what happened to this grant', parseId);

/** @throws a usage error unless exactly one is given */
export const aboutIn = (command: Command, options: AboutOptions): About => {
  const [about, ...others] = aboutKinds.flatMap((kind): readonly About[] => {
    const id = options[kind];
    return id === undefined ? [] : [{ kind, id }];
  });
  if (about && others.length === 0) return about;
  return command.error('error: exactly one of --organization, --addon, --user and --grant is required');
};
