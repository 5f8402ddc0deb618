import type { FastifyInstance } from 'fastify';
import type { Stage } from './lists-stage.ts';
import { listToken } from './lists-token.ts';
import type { Story } from './lists-story.ts';
import { pathOf, type World } from './lists-world.ts';

type Item = {
  readonly id: string;
  readonly version?: number;
  readonly updated_at: string;
  readonly deleted?: true;
};
type Body = {
  readonly items: readonly Item[];
  readonly sync_token: string;
  readonly _pagination: { readonly total_items: number };
  readonly _links: readonly { readonly rel: string; readonly href: string }[];
};

/** An add-on that keeps a copy of a list: a walk by links, then the changes since its first page's token, again and again. */
export const makeFollower = (
  stage: Pick<Stage, 'baseUrl' | 'http'>,
  servers: readonly FastifyInstance[],
  world: World,
  { token, kind, perPage }: Story,
) => {
  const start = `${pathOf[kind]}?per_page=${perPage}`;
  const copy = new Map<string, Item>();
  const wrong: string[] = [];
  let next = start;
  let phase: 'walk' | 'changes' = 'walk';
  let kept: string | null = null;
  let requests = 0;
  /** Of the walk of changes that is under way. */
  let counted: { readonly total: number; readonly state: string } | null = null;
  let seen: Item[] = [];
  let isDone = false;
  let walked = '';
  const stateOf = () => JSON.stringify([world.state(), world.activations(), world.content()]);
  /** Of each delivered item: the state of the world in which it was. */
  const states = new Map<string, string>();

  const restart = () => {
    copy.clear();
    states.clear();
    [next, phase, kept, counted, seen] = [start, 'walk', null, null, []];
  };
  const since = (sync: string) => `${start}&sync_token=${sync}`;

  const take = (body: Body): void => {
    for (const item of body.items) {
      const had = copy.get(item.id);
      // All pages of a walk have the token of its first one.
      const state = phase === 'walk' ? walked : stateOf();
      if (phase === 'changes') {
        if (had?.version === item.version && states.get(item.id) === state && !item.deleted)
          wrong.push(`${item.id} came again, unchanged`);
        if (seen.some(({ id }) => id === item.id) && counted?.state === state)
          wrong.push(`${item.id} came twice`);
        if (token === 'organization' && item.updated_at < (seen.at(-1)?.updated_at ?? ''))
          wrong.push(`${item.id} is not in the order of changes`);
        seen.push(item);
      }
      states.set(item.id, state);
      if (item.deleted) copy.delete(item.id);
      else copy.set(item.id, item);
    }
  };

  const ask = async (): Promise<void> => {
    requests += 1;
    const server = servers[requests % servers.length] ?? stage.http.app;
    const headers = { authorization: `Bearer ${listToken(stage.http.keys, world.subject())}` };
    const isFirst = phase === 'changes' && counted === null;
    const answer = await server.inject({ url: next, headers });
    if (world.isRefused()) {
      if (answer.statusCode !== 401) wrong.push(`${answer.statusCode} instead of 401`);
      if (phase === 'walk') restart();
      return;
    }
    if (answer.statusCode === 400 && token === 'organization' && next.includes('sync_token')) {
      if (!answer.body.includes('"foreign"')) wrong.push(answer.body);
      return restart(); // the add-on was activated again
    }
    if (answer.statusCode !== 200) {
      wrong.push(`${answer.statusCode} to ${next}: ${answer.body}`);
      return restart();
    }
    const body = JSON.parse(answer.body) as Body;
    if (phase === 'walk' && kept === null) walked = stateOf();
    if (isFirst) counted = { total: body._pagination.total_items, state: stateOf() };
    take(body);
    if (phase === 'walk') {
      kept ??= body.sync_token;
      if (kept !== body.sync_token) wrong.push('a walk with two tokens');
    } else kept = body.sync_token;
    const href = body._links.find(({ rel }) => rel === 'next')?.href;
    // Among changes, the token of a page leads on as well as its link does.
    if (href !== undefined && (phase === 'walk' || requests % 3 !== 0)) {
      next = href.slice(stage.baseUrl.length);
      return;
    }
    if (
      phase === 'changes' &&
      href === undefined &&
      counted?.state === stateOf() &&
      counted.total !== seen.length
    )
      wrong.push(`${counted.total} changes counted, ${seen.length} came`);
    isDone = phase === 'changes' && href === undefined;
    [phase, next, counted, seen] = ['changes', since(kept), null, []];
  };

  return {
    ask,
    /** Reads the rest, while nothing happens any more, and compares. */
    async finish(): Promise<void> {
      isDone = false;
      for (let left = 2_000; !isDone && left > 0; left -= 1) await ask();
      if (!isDone) wrong.push('no end');
      await ask();
      const shown = (items: readonly { readonly id: string; readonly version?: number }[]) =>
        items
          .map(({ id, version }) => `${id} v${version}`)
          .sort()
          .join(', ');
      const expected = shown(world.present().visible.map(world.shownOf));
      const held = shown([...copy.values()]);
      if (held !== expected) wrong.push(`the copy is ${held}; the list is ${expected}`);
    },
    wrong: () => wrong,
  };
};
