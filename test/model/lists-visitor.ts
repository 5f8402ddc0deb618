import type { Ask, Story } from './lists-story.ts';
import { pageOf, type Page, type Place } from './lists-page.ts';
import { beginWalk, type Direction, type Walk } from './lists-walk.ts';
import { pathOf, type World } from './lists-world.ts';

export type Request = { readonly url: string; readonly ifNoneMatch: string | null };
export type Answer = {
  readonly status: number;
  readonly etag: string | undefined;
  readonly link: string;
  readonly body: string;
};

/** An address that was given out, and what was answered there last. */
type Known = { readonly href: string; readonly place: Place; answered?: Answered };
type Answered = { readonly etag: string; readonly state: string; readonly content: string };

type ListBody = {
  readonly items: readonly Readonly<Record<string, unknown>>[];
  readonly _pagination: object;
  readonly _links: readonly { readonly rel: Direction; readonly type: string; readonly href: string }[];
};

/** Whoever reads the list over HTTP: keeps the links it was given, and compares each answer with the arrays. */
export const makeVisitor = (world: World, { kind, perPage }: Story, baseUrl: string) => {
  const address = baseUrl + pathOf[kind];
  let known: Known[] = [];
  let direction: Direction = 'next';
  let links: Partial<Record<Direction, Known>> = {};
  let walks: Record<Direction, Walk> | null = null;
  let asked: { readonly to: Known; readonly as: Direction | null; readonly unless: string | null } | null =
    null;

  const keep = (href: string, place: Place): Known => {
    const before = known.find((one) => one.href === href);
    if (before) return before;
    const kept = { href, place };
    known = [...known.slice(-30), kept];
    return kept;
  };
  const typed = (page: number) => keep(`${address}?page=${page}&per_page=${perPage}`, { by: 'page', page });

  const follow = (towards: Direction, page: number) => {
    direction = towards;
    const link = links[towards];
    // Only a link that goes on from where one is continues the walk; a typed page begins one.
    return link ? { to: link, as: link.place.by === 'page' ? null : towards } : { to: typed(page), as: null };
  };
  const choose = (ask: Ask): { readonly to: Known; readonly as: Direction | null } => {
    switch (ask.ask) {
      case 'on':
        return follow(direction, ask.page);
      case 'turn':
        return follow(direction === 'next' ? 'prev' : 'next', ask.page);
      case 'jump':
        return { to: typed(ask.page), as: null };
      case 'old':
      case 'unless':
        return { to: known[ask.which % known.length] ?? typed(1), as: null };
    }
  };

  const itemsOf = (page: Page) =>
    page.entries.map((entry) => {
      const { id, version, createdAt, updatedAt, owner } = world.shownOf(entry);
      return { id, version, created_at: createdAt, updated_at: updatedAt, owner };
    });
  const ownerIn = kind === 'profiles' ? 'user_id' : 'profile_id';

  /** What differs from the page that the arrays foretell. */
  const compare = (page: Page, { etag, link, body }: Answer): readonly string[] => {
    const { items, _pagination, _links } = JSON.parse(body) as ListBody;
    const shown = items.map(({ id, version, created_at, updated_at, [ownerIn]: owner }) => ({
      id,
      version,
      created_at,
      updated_at,
      owner,
    }));
    const places = { prev: page.prev, next: page.next };
    const rels = (['prev', 'next'] as const).filter((rel) => places[rel] !== null);
    const labels = rels.map((rel) => `${rel} ${places[rel]?.page} of ${perPage}`);
    return [
      differs('items', shown, itemsOf(page)),
      differs('_pagination', _pagination, {
        page: page.place.page,
        total_items: page.total,
        pages: page.pages,
        per_page: perPage,
      }),
      differs(
        '_links',
        _links.map(({ rel, href }) => {
          const { searchParams } = new URL(href);
          return `${rel} ${searchParams.get('page')} of ${searchParams.get('per_page')}`;
        }),
        labels,
      ),
      differs(
        'Link',
        [...link.matchAll(/rel="(\w+)"/g)].map(([, rel]) => rel),
        [...rels, 'first', 'last'],
      ),
      _links.every(({ href, type }) => type === 'GET' && href.startsWith(`${address}?page=`))
        ? []
        : ['hrefs'],
      etag?.startsWith('W/"') ? [] : [`ETag: ${etag}`],
    ].flat();
  };

  const read = (to: Known, as: Direction | null, answer: Answer): readonly string[] => {
    const now = world.present();
    const page = pageOf(now.visible, to.place, perPage, world.newest());
    const wrong = compare(page, answer);
    to.answered = { etag: answer.etag ?? '', state: world.state(), content: world.content() };
    if (wrong.length > 0) return wrong;
    const { _links } = JSON.parse(answer.body) as ListBody;
    links = {};
    for (const { rel, href } of _links) {
      const place = page[rel];
      if (place) links[rel] = keep(href, place);
    }
    const promised = as === null ? [] : (walks?.[as].on(page) ?? []);
    const begin = (towards: Direction) => beginWalk(towards, page, now, perPage);
    const going = as === null ? null : walks;
    walks = {
      next: as === 'next' && going ? going.next : begin('next'),
      prev: as === 'prev' && going ? going.prev : begin('prev'),
    };
    return promised;
  };

  return {
    /** The list has changed, or may have. */
    meanwhile(): void {
      if (!walks) return;
      const now = world.present();
      walks.next.meanwhile(now);
      walks.prev.meanwhile(now);
    },
    ask(ask: Ask): Request {
      const { to, as } = choose(ask);
      const unless = ask.ask === 'unless' ? (to.answered?.etag ?? null) : null;
      asked = { to, as, unless };
      return { url: to.href, ifNoneMatch: unless };
    },
    /** @returns what is wrong with the answer */
    hear(answer: Answer): readonly string[] {
      if (!asked) throw new Error('nothing was asked');
      const { to, as, unless } = asked;
      if (world.isRefused()) return answer.status === 401 ? [] : [`${answer.status} instead of 401`];
      const before = unless === null ? undefined : to.answered;
      if (answer.status === 304 && before?.content === world.content())
        return answer.body === '' && answer.etag === before.etag ? [] : ['a 304 of another kind'];
      if (answer.status !== 200 || before?.state === world.state())
        return [`${answer.status} to ${to.href} unless ${unless}`, answer.body];
      return read(to, as, answer);
    },
  };
};

const differs = (name: string, actual: unknown, expected: unknown): readonly string[] => {
  const [is, should] = [JSON.stringify(actual), JSON.stringify(expected)];
  return is === should ? [] : [`${name} is ${is}, not ${should}`];
};
