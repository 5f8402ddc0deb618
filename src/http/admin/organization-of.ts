import type { HttpNeeds } from '../needs.ts';
import { inTime } from '../in-time.ts';

export type NamedOrganization = { readonly organizationId: string; readonly name: string };

/** The organization by its name, or by its id when the read models are away. */
export const organizationOf = async (
  { readModels }: Pick<HttpNeeds, 'readModels'>,
  organizationId: string,
): Promise<NamedOrganization> =>
  (await inTime(1_000, readModels.organization(organizationId))) ?? { organizationId, name: organizationId };
