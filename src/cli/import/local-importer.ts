import { organizations } from '../../tasks/organizations.ts';
import { localTasks } from '../base/local-tasks.ts';
import type { CliService } from '../base/service.ts';
import { importWith } from '../../kafka/import/import-with.ts';
import type { Importer } from './importer.ts';

export const localImporter = (service: CliService): Importer => ({
  organization: (text) => localTasks(service).show(organizations, text),
  run: ({ resource, ...task }) => importWith(service.commands, resource, task),
  isVisible: ({ position }, waiting) =>
    position === null
      ? Promise.resolve(true)
      : service.settle(position, { ...waiting, patience: 3, atMostMs: Infinity }),
  close: () => service.close(),
});
