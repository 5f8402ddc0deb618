import { z } from 'zod';
import { reference } from '../../administration/fields.ts';
import { withIds } from '../../administration/find.ts';
import type { Json } from '../../administration/task.ts';
import { refusedAs, servicesOf } from '../administration.ts';
import type { Answer } from './answer.ts';
import type { CliService } from './service.ts';

const words = { title: '', description: '' };
const references = z.object({
  organization: reference(words, 'organization'),
  user: reference(words, 'user'),
  addon: reference(words, 'addon'),
});

/** Runs a command with ids in its options, where names, e-mail addresses or external ids were given (AP-09). */
export const withNamedOptions = async <Options extends object, Result>(
  service: CliService,
  options: Options,
  use: (options: Options) => Promise<Result>,
): Promise<Result | Answer> => {
  const given = options as Json;
  const names: Record<string, string> = {};
  for (const kind of ['organization', 'user', 'addon'] as const) {
    const id = given[kind];
    if (typeof id === 'string' && !(await service.audit.timeline.exists({ kind, id }))) names[kind] = id;
  }
  if (Object.keys(names).length === 0) return use(options);
  const found = await withIds(servicesOf(service), references, names);
  return found.ok ? use({ ...options, ...found.value }) : refusedAs(found);
};
