import { commandLinePage } from './command-line.ts';
import { eventsPage } from './events.ts';
import { metricsPage } from './metrics.ts';
import { pathsPage } from './paths.ts';
import { problemsPage } from './problems.ts';
import { settingsPage } from './settings.ts';

/** The pages of docs/reference that are made of the code. */
export const pages: Readonly<Record<string, () => string | Promise<string>>> = {
  'command-line.md': commandLinePage,
  'events.md': eventsPage,
  'metrics.md': metricsPage,
  'paths.md': pathsPage,
  'problems.md': problemsPage,
  'settings.md': settingsPage,
};
