import { eventsPage } from './events.ts';
import { metricsPage } from './metrics.ts';
import { problemsPage } from './problems.ts';
import { settingsPage } from './settings.ts';

/** The pages of docs/reference that are made of the code. */
export const pages: Readonly<Record<string, () => string | Promise<string>>> = {
  'events.md': eventsPage,
  'metrics.md': metricsPage,
  'problems.md': problemsPage,
  'settings.md': settingsPage,
};
