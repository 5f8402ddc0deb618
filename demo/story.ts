import type { Story } from './cast.ts';
import type { Step } from './narrator.ts';
import { activate, signIn } from './steps/administrator.ts';
import { approve, discover, exchange } from './steps/authorize.ts';
import { deactivate, showRefusals, startOver } from './steps/end.ts';
import { toldByPoll, toldByPush } from './steps/signals.ts';
import { askForWhom, listAccessRights, refresh } from './steps/use.ts';

/** An add-on's life in one organization, from its activation to its end. */
export const story: readonly Step<Story>[] = [
  { title: 'The administrator signs in', run: signIn },
  { title: 'The administrator activates the add-on', run: activate },
  { title: 'The add-on finds the endpoints', run: discover },
  { title: 'The add-on asks for access, the administrator allows it', run: approve },
  { title: 'The add-on exchanges the code, with PKCE', run: exchange },
  { title: 'The add-on asks whose records its token opens', run: askForWhom },
  { title: 'The add-on lists access rights, link by link', run: listAccessRights },
  { title: 'The add-on refreshes its tokens', run: refresh },
  { title: 'The administrator deactivates the add-on', run: deactivate },
  { title: 'All tokens of the add-on are refused', run: showRefusals },
  { title: 'After a new activation, old tokens stay refused', run: startOver },
  { title: 'Another add-on is notified of its deactivation, by poll', run: toldByPoll },
  { title: 'The same by push', run: toldByPush },
];
