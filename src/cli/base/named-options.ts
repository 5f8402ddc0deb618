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
  const found = await withIds(servicesOf(service), references, options as Json);
  return found.ok ? use(found.value as Options) : refusedAs(found);
};
