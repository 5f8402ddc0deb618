import { expect, test } from 'vitest';
import { fieldsOf } from '../../src/tasks/fields.ts';
import { isMaking, listAddressOf, placeOf } from '../../src/tasks/places.ts';
import type { Entity, Json, Task } from '../../src/tasks/task.ts';
import { every, reason, type Scene, startEveryTask, stdinOf, wordsOf } from '../support/scenes/every-task.ts';
import { signedIn } from '../support/scenes/http-scene.ts';
import { formsOf } from '../support/scenes/pages.ts';

type Outcome = { readonly json: Json | null };

/** For one file: the modules of a worker are shared, and its service is not. */
export const eachTask = async () => {
  const { service, email, token, scenes, sceneOf, plain, eventsSince } = await startEveryTask();
  const browser = await signedIn(service, { email });

  const api = async (method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', url: string, body?: Json) => {
    const answer = await service.app.inject({
      method,
      url,
      headers: { authorization: `Bearer ${token}` },
      ...(body && { payload: body }),
    });
    expect([url, answer.statusCode, answer.body]).toEqual([
      url,
      expect.toSatisfy((status: number) => status < 300),
      expect.anything(),
    ]);
    return answer.json<Json>();
  };

  const byApi = async (entity: Entity, task: Task, { id, input }: Scene): Promise<Outcome> => {
    if (task.isProperty)
      return { json: await api('PATCH', `${listAddressOf(entity)}/${id}`, { ...input, reason }) };
    const place = placeOf(entity, task);
    const fields = Object.values(place.inAddress);
    const url = place.url.replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
      const field = place.inAddress[name];
      return encodeURIComponent(field === undefined ? id : String(input[field]));
    });
    const body = Object.fromEntries(Object.entries(input).filter(([name]) => !fields.includes(name)));
    return { json: await api(place.method, url, task.isRead ? undefined : { ...body, reason }) };
  };

  const byCommand = async (entity: Entity, task: Task, of: Scene): Promise<Outcome> => {
    const words = [...wordsOf(entity, task, of), '--json'];
    const ran = await service.onServers(token, words, stdinOf(of));
    expect([words, ran.exitCode, ran.stdout]).toEqual([words, 0, expect.anything()]);
    return { json: ran.json };
  };

  const byPage = async (entity: Entity, task: Task, { id, input }: Scene): Promise<Outcome> => {
    const list = `/operator/${entity.plural}`;
    const place = isMaking(entity, task) ? list : `${list}/${id}`;
    const page = `${place}/${task.name}`;
    const { of } = task;
    if (of && task.isRead) return { json: null }; // its list shows it
    const places = [place, ...(id === '' ? [] : (entity.parts ?? []).map(({ name }) => `${place}/${name}`))];
    const shown = await Promise.all(places.map(async (at) => (await browser.get(at)).body));
    const links = shown.flatMap((html) => [...html.matchAll(/href="([^"]+)"/g)].map(([, href = '']) => href));
    const isIt = (href: string) => {
      const { pathname, searchParams } = new URL(href.replaceAll('&amp;', '&'), 'http://x');
      const names = Object.keys(of?.fields ?? {}).filter((field) => field in input);
      return pathname === page && names.every((field) => searchParams.get(field) === String(input[field]));
    };
    const link = links.find(isIt) ?? (task.isRead ? page : undefined);
    if (link === undefined) throw new Error(`no link to ${task.name} on ${places.join(', ')}`);
    const { body } = await browser.get(link.replaceAll('&amp;', '&'));
    const form = formsOf(body).find(({ action }) => action === page);
    if (!form) throw new Error(`no form of ${task.name} on ${page}`);
    const known = new Set(fieldsOf(task.input).map(({ name }) => name));
    const ownOf = ({ fields }: typeof form) =>
      Object.fromEntries(Object.entries(fields).filter(([name]) => !known.has(name) && name !== 'sure'));
    const typed = Object.fromEntries(
      Object.entries(input).map(([name, value]) => [
        name,
        value === true ? 'on' : [value].flat().map(String).join('\n'),
      ]),
    );
    const sure = task.isFinal ? { sure: 'on' } : {};
    const send = (own: typeof form) =>
      browser.post(form.action, { ...ownOf(own), ...typed, ...sure, ...(!task.isRead && { reason }) });
    let answer = await send(form);
    // FX-85: who is to get a role is shown before.
    const asked = formsOf(answer.body).find(
      ({ action, fields }) => action === page && fields['to'] !== undefined,
    );
    if (asked && form.fields['to'] === undefined) answer = await send(asked);
    expect([form.action, answer.statusCode, answer.body.slice(0, 2000)]).toEqual([
      form.action,
      expect.toSatisfy((status: number) => status === 200 || status === 303),
      expect.anything(),
    ]);
    return { json: null };
  };

  const ways = [byApi, byCommand, byPage];

  const expectEveryTask = (): void => {
    expect(Object.keys(scenes).toSorted()).toEqual(every.map(({ name }) => name).toSorted());
  };

  /** Tests each task of these: on the command line, over the API, and on its page. */
  const testTasksOf = (...entities: readonly string[]): void =>
    test.each(every.filter(({ name, entity }) => scenes[name] !== null && entities.includes(entity.name)))(
      'AP-07, AP-08: $name does the same on the command line, over the API and on the page',
      async ({ entity, task, name }) => {
        const outcomes = [];
        for (const way of ways) {
          const of = await sceneOf(name);
          const before = service.all().length;
          const { json } = await way(entity, task, of);
          outcomes.push({ events: eventsSince(before), answer: plain(json) as Json | null });
        }
        const [api, servers, page] = outcomes;
        expect(servers?.events).toEqual(api?.events);
        expect(page?.events).toEqual(api?.events);
        expect(api?.answer).toMatchObject(servers?.answer ?? {});
        const isSilent = task.isRead === true || task.name === 'test';
        expect(api?.events.length === 0).toBe(isSilent);
        for (const event of api?.events ?? []) expect(event).toContain(`"the operator","${reason}"]`);
      },
    );

  return { expectEveryTask, testTasksOf };
};
