import { z } from 'zod';
import type { Json } from '../../../administration/task.ts';
import { reference } from '../../../administration/fields.ts';
import { withIds, type Found } from '../../../administration/find.ts';
import type { AuditService } from './service.ts';

const words = { title: '', description: '' };
const references = z.object({
  organization: reference(words, 'organization'),
  user: reference(words, 'user'),
  addon: reference(words, 'addon'),
});

/** Parameters with ids where names, e-mail addresses or external ids were given; an id that occurs in the log is one (AP-09). */
export const withoutNames = async ({ audit, services }: AuditService, asked: Json): Promise<Found<Json>> => {
  const names: Record<string, string> = {};
  for (const kind of ['organization', 'user', 'addon'] as const) {
    const id = asked[kind];
    if (typeof id === 'string' && !(await audit.timeline.exists({ kind, id }))) names[kind] = id;
  }
  const found = await withIds(services, references, names);
  return found.ok ? { ok: true, value: { ...asked, ...found.value } } : found;
};
