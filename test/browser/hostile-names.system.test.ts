import type { Dialog, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { GrantBar, TimelineEntry } from '../../src/audit/timeline/timeline.ts';
import type { HttpParts } from '../../src/compose/server.ts';
import { withInvisibleShown } from '../../src/domain/kernel/name.ts';
import { pageScriptPath } from '../../src/http/pages/page-script.ts';
import { hasChromium } from '../support/scenes/chromium.ts';
import { inChromium } from './in-chromium.ts';
import { setStage } from './stage.ts';
import { states, type State } from './states.ts';

/** A name as nobody is called: markup, both quotes, an end of everything, right-to-left marks, and far too long. */
const evil = `</title></textarea><script>document.title='evil'</script>"'><img src=x onerror=alert(1)>\u202e\u2067&lt;${'Wolkenkuckucksheim'.repeat(60)}`;

let isEvil = false;
const nameOf = (name: string): string => (isEvil ? evil : name);
const named = <T extends { readonly name: string }>(thing: T): T => ({ ...thing, name: nameOf(thing.name) });

const known = <T extends { readonly name: string | null }>(thing: T): T => ({
  ...thing,
  name: thing.name && nameOf(thing.name),
});
const renamedBar = (bar: GrantBar): GrantBar => ({
  ...bar,
  approvedBy: known(bar.approvedBy),
  addon: known(bar.addon),
});
const renamedEntry = (entry: TimelineEntry): TimelineEntry => ({
  ...entry,
  source:
    typeof entry.source === 'string'
      ? entry.source
      : { ...entry.source, names: new Map([...entry.source.names].map(([id, name]) => [id, nameOf(name)])) },
  actor: entry.actor && 'name' in entry.actor ? known(entry.actor) : entry.actor,
  told: entry.told.map((told) => ({ ...told, addon: known(told.addon) })),
});

/** Gives everybody and everything that name, past what registration would refuse. */
const renamed = (needs: HttpParts): HttpParts => {
  const { commands, readModels, timeline } = needs;
  return {
    ...needs,
    commands: {
      ...commands,
      findAddon: async (id) => {
        const addon = await commands.findAddon(id);
        return addon && named(addon);
      },
      currentAddon: async (id) => {
        const addon = await commands.currentAddon(id);
        return addon && named(addon);
      },
      listAdministratorTokens: async (id) => (await commands.listAdministratorTokens(id)).map(named),
      readSession: async (cookie) => {
        const session = await commands.readSession(cookie);
        return session && { ...named(session), email: nameOf(session.email) };
      },
    },
    timeline: {
      ...timeline,
      page: async (...asked) => {
        const page = await timeline.page(...asked);
        return { ...page, entries: page.entries.map(renamedEntry) };
      },
      grantBars: async (asked) => {
        const { bars, earlier } = await timeline.grantBars(asked);
        return { bars: bars.map(renamedBar), earlier };
      },
    },
    names: async (of) => new Map([...(await needs.names(of))].map(([id, name]) => [id, nameOf(name)])),
    unusedGrants: async (asked) => {
      const { grants, next } = await needs.unusedGrants(asked);
      const both = grants.map((grant) => ({
        ...grant,
        addon: { ...grant.addon, name: nameOf(grant.addon.name ?? '') },
        user: { ...grant.user, name: nameOf(grant.user.name ?? '') },
      }));
      return { grants: both, next };
    },
    readModels: {
      ...readModels,
      organization: async (id) => {
        const organization = await readModels.organization(id);
        return organization && named(organization);
      },
      organizationsAuditedBy: async (id) => (await readModels.organizationsAuditedBy(id)).map(named),
      organizationsAdministeredBy: async (id) =>
        (await readModels.organizationsAdministeredBy(id)).map(named),
      addonsOf: async (id) =>
        (await readModels.addonsOf(id)).map((addon) => ({
          ...named(addon),
          activatedByName: addon.activatedByName && nameOf(addon.activatedByName),
          deactivatedByName: addon.deactivatedByName && nameOf(addon.deactivatedByName),
        })),
      approvals: async (...of) =>
        (await readModels.approvals(...of)).map((approval) => ({
          ...approval,
          name: approval.name && nameOf(approval.name),
        })),
      namesOf: async (ids) =>
        new Map([...(await readModels.namesOf(ids))].map(([id, name]) => [id, nameOf(name)])),
    },
  };
};

/** Add-ons of an account are sorted by their names, which are the same now. */
const inOrder = ({ name }: State, elements: readonly string[]): readonly string[] =>
  name === 'account' ? elements.toSorted() : elements;

describe.skipIf(!hasChromium)('names that want to be more than names (needs /usr/bin/chromium)', () => {
  const here = inChromium((chrome) => setStage(chrome, renamed));

  const at = async <T>(state: State, work: (page: Page) => Promise<T>): Promise<T> => {
    const page = await here.scene.page(state.who);
    const dialogs: string[] = [];
    const dismiss = (dialog: Dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    };
    page.on('dialog', dismiss);
    try {
      await page.setViewportSize({ width: 320, height: 640 });
      await state.open(page, here.scene);
      const done = await work(page);
      expect(dialogs).toEqual([]);
      return done;
    } finally {
      page.off('dialog', dismiss);
    }
  };

  test.each(states)(
    'AZ-08, AZ-43: $name has the same elements, and holds the name as text',
    async (state) => {
      isEvil = false;
      const usual = await at(state, outline);
      isEvil = true;
      await at(state, async (page) => {
        expect(inOrder(state, await outline(page))).toEqual(inOrder(state, usual));
        expect(await page.title()).toMatch(/ – Grantbook$/);
        const text = await page.evaluate(() => document.body.textContent);
        expect([state.name, text.includes(withInvisibleShown(evil))]).toEqual([state.name, namesAre(state)]);
        expect([state.name, await outsideOfBdi(page)]).toEqual([state.name, []]);
        const width = await page.evaluate(() => document.documentElement.scrollWidth);
        expect([state.name, width]).toEqual([state.name, 320]);
      });
      isEvil = false;
    },
  );

  test('AZ-08: what was typed into a form that failed comes back as a value', async () => {
    const page = await here.scene.page('stranger');
    await page.goto(`${here.scene.baseUrl}/sign-in`);
    const usual = await outline(page);
    await page.locator('#email').evaluate((field: HTMLInputElement) => (field.type = 'text'));
    const typed = `"><script>1</script>'&lt;\u202e@x.example`;
    await page.locator('#email').fill(typed);
    await page.locator('#password').fill('wrong');
    await page.locator('main button').click();
    await page.locator('#failed').waitFor();
    expect(await page.locator('#email').getAttribute('value')).toBe(withInvisibleShown(typed));
    const failed = await outline(page);
    expect(failed.filter((element) => !usual.includes(element))).toEqual([
      'P class id role',
      'INPUT aria-describedby aria-invalid autocomplete id maxlength name required type value',
      'INPUT aria-describedby aria-invalid autocomplete autofocus id maxlength name required type',
    ]);
  });

  test('AZ-08: what an address holds never becomes part of a page', async () => {
    const stage = here.scene;
    const page = await stage.page('stranger');
    const sent = encodeURIComponent(evil.slice(0, 200));
    const paths = [
      `/oauth/authorize?client_id=${sent}&redirect_uri=${sent}`,
      `/oauth/authorize?client_id=${stage.addons.active.clientId}&redirect_uri=${sent}`,
      `/oauth/authorize/continue?interaction=${sent}`,
      `/oauth/logout?client_id=${sent}&post_logout_redirect_uri=${sent}&id_token_hint=${sent}`,
      `/sign-in?return_to=${sent}`,
    ];
    for (const path of paths) {
      await page.goto(stage.baseUrl + path);
      const html = await page.content();
      expect([path, html.includes('onerror'), html.includes('Wolken')]).toEqual([path, false, false]);
      const foreign = `script:not([src="${pageScriptPath}"]), img`;
      expect(await page.locator(foreign).count()).toBe(0);
    }
  });
});

/** States on which somebody's or something's name is to be read. */
const namesAre = ({ who, name }: State): boolean =>
  name !== 'not-like-this' && (who !== 'stranger' || name === 'sign-in-for-add-on');

/** Texts that hold a name and more than that, or are not isolated. Nothing can be marked up in an option. */
const outsideOfBdi = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() => {
    const texts: string[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const { parentElement, textContent } = walker.currentNode;
      const text = textContent ?? '';
      if (!text.includes('Wolken') || parentElement?.localName === 'option') continue;
      const isAlone = text.startsWith('</title>') && text.endsWith('heim');
      if (parentElement?.localName !== 'bdi' || !isAlone) texts.push(text.slice(0, 100));
    }
    return texts;
  });

/** Every element with the names of its attributes: all that markup could add to. */
const outline = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('*')].map((element) =>
      [element.tagName, ...element.getAttributeNames().sort()].join(' '),
    ),
  );
