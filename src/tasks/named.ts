import { normaliseName } from '../domain/kernel/name.ts';
import type { ReadModels } from '../projections/read-models.ts';
import type { Candidate, Services } from './task.ts';

export const mostNamed = 10;

/** Things with exactly this name, as far as the read models know, and as the log has them now. @param more what else tells them apart */
export const named = async <Shown extends { readonly name: string }>(
  services: Services,
  kind: Parameters<ReadModels['named']>[0],
  text: string,
  show: (services: Services, id: string) => Promise<Shown | null>,
  more: (shown: Shown) => Omit<Candidate, 'id' | 'name'> = () => ({}),
): Promise<readonly Candidate[]> => {
  const name = normaliseName(text);
  if (name === '') return [];
  await services.settle();
  const ids = await services.readModels.named(kind, name, mostNamed + 1);
  const shown = await Promise.all(ids.map((id) => show(services, id)));
  return ids.flatMap((id, index) => {
    const thing = shown[index];
    return thing?.name === name ? [{ id, name, ...more(thing) }] : [];
  });
};
