import { readInput } from '../../tasks/fields.ts';
import { listNamed, listPartNamed, namesOf, showNamed } from '../../tasks/find.ts';
import { perform } from '../../tasks/perform.ts';
import type { Json, Services, Task } from '../../tasks/task.ts';
import type { CliService } from './service.ts';
import type { Tasks } from './tasks.ts';

/** Carries out tasks on the servers of the settings. */
export const localTasks = (service: CliService): Tasks => {
  const services = servicesOf(service);
  const { by, user } = service.actor;
  const context = { ...service.context, acting: { actor: by, tokenId: user?.tokenId ?? null } };
  return {
    list: async (about, filters, page) => {
      await service.settle();
      return listNamed(services, about, valueOf(about.filters, filters), page);
    },
    show: async (about, id) => {
      const found = await showNamed(services, about, id);
      if (!found.ok) return found;
      const { json } = found.value;
      return { ok: true, value: json && { json, names: await namesOf(services, about, json) } };
    },
    listPart: (about, part, id, page) => listPartNamed(services, about, part, id, page),
    perform: async (about, task, { id, input }) => {
      const done = await perform(services, about, task, { id, input: valueOf(task.input, input) }, context);
      return done.ok ? { ...done, names: await namesOf(services, about, done.json, task) } : done;
    },
    close: () => service.close(),
  };
};

const valueOf = (input: Task['input'], given: Json): Json => {
  const read = readInput(input, given);
  if (!read.ok) throw new Error('the input was not checked'); // the command line checks it first
  return read.value;
};

/** What tasks use, from a run of the command line. */
export const servicesOf = (service: CliService): Services => ({
  commands: service.commands,
  store: service.store,
  readModels: service.readModels,
  readsCountedSince: () => service.audit.reads.countedSince(),
  deliverLink: service.deliverLink,
  signals: service.signals,
  providers: service.providers,
  settle: (position) => service.settle(position),
});
