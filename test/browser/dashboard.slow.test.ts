import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { type OpenPage, TestBrowser } from '../support/browser.ts'
import { linkIn } from '../support/dashboard-session.ts'
import { until } from '../support/until.ts'
import { withUpFleet } from '../support/up-process.ts'
import { assertAccessible, overflowOf, shiftsOf, watchShifts } from './page-watch.ts'
import { PlayedFleet, patience } from './played-fleet.ts'
import { playsFence } from './plays-fence.ts'
import { playsRehearsal } from './plays-rehearsal.ts'
import { show, untilSaid } from './shown-page.ts'
import { showsThePast } from './shows-past.ts'
import { refusesGuests, signsInWithCertificate, signsInWithPrintedRights } from './signs-in.ts'
import { steersMigration } from './steers-migration.ts'

const count = 40

// One fleet and one browser for all: to start them takes longer than to look at the page.
test('the dashboard of a playground', async (t) => {
  await withUpFleet(['--release', 'x+1', '--dashboard-port', '0'], async (up) => {
    await using browser = await TestBrowser.start()
    const fleet = await PlayedFleet.of(up)
    try {
      await fleet.createBeacons(count)
      const link = linkIn(up.up.stdout)
      // What still fades in has too little contrast for a moment.
      const look = { viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' } as const
      const open = await browser.open(look)
      const { page } = open
      await watchShifts(page)
      await t.test('a link signs in, once, and stays in no address', () => signsIn(browser, open, link))
      await t.test('no view jumps when it is opened, or is wider than a phone', () => looksGood(page))
      await t.test('a rolling upgrade is seen to its end', () => showsUpgrade(page))
      await t.test('the migration after it is seen to be done, and proven', () => showsMigration(page))
      await t.test('the timeline shows the upgrade, and the page as it was in it', () => showsThePast(page))
      await t.test('a verdict names what is unsafe, and what mends it', () => showsVerdict(page))
      await t.test('a frozen server is seen, and what the fence refused after its thaw', () =>
        playsFence(page, up),
      )
      await t.test(
        'a migration is paused, resumed and cancelled; what it set aside has its reason and its fix',
        () => steersMigration(page, fleet, () => signsInWithPrintedRights(browser, fleet)),
      )
      await t.test('a rehearsal is played, and its verdict and story are read', () => playsRehearsal(page))
      await t.test('the page had no error, asked for nothing elsewhere, and nothing jumped', async () => {
        assert.deepEqual([open.problems, open.external], [[], []])
        assert.deepEqual(await shiftsOf(page), [])
      })
      await t.test('load is started, and a server is crashed, from the page', () => loadsAndCrashes(page))
      await t.test('a token of a user without rights shows which rights are missing', () =>
        refusesGuests(browser, fleet),
      )
      await t.test('a client certificate of the browser signs in', () =>
        signsInWithCertificate(browser, fleet, up.dataDir),
      )
    } finally {
      fleet.close()
    }
  })
})

async function signsIn(browser: TestBrowser, { page }: OpenPage, link: string): Promise<void> {
  await page.goto(link)
  await untilSaid(page, /^All \d+ resources agree/)
  assert.equal(new URL(page.url()).hash, '')
  assert.equal(await page.textContent('.header-user'), 'signed in as admin')
  const second = await browser.open()
  await second.page.goto(link)
  await second.page.waitForSelector('text=the sign-in link was used')
  await second.page.close()
  // Controllers that have just started look at everything once.
  await untilSaid(page, /^All \d+ resources agree, and nothing is/)
}

async function looksGood(page: Page): Promise<void> {
  const sizes = [
    { width: 390, height: 844 },
    { width: 1280, height: 800 },
  ]
  for (const size of sizes) {
    await page.setViewportSize(size)
    for (const view of ['agreement', 'storage', 'migrations', 'safety']) {
      await page.goto(new URL(`/dashboard/${view}`, page.url()).href)
      await untilSaid(page, /^All \d+ resources agree/)
      assert.deepEqual(await shiftsOf(page), [], view)
      const wide = await overflowOf(page)
      assert.ok(wide <= 0, `${view} is ${wide} px wider than a screen of ${size.width}`)
    }
  }
  await page.goto(new URL('/dashboard/agreement/beacons.lighthouse.example.dev', page.url()).href)
  await page.waitForSelector('.drawer >> text=May be stored')
  await assertAccessible(page, 'a record')
  await page.keyboard.press('Escape')
  await page.waitForSelector('.drawer', { state: 'detached' })
}

async function showsUpgrade(page: Page): Promise<void> {
  await page.setViewportSize({ width: 1280, height: 800 })
  await show(page, 'Agreement')
  await page.click('text="Roll to x+2"')
  await untilSaid(page, /^1 of \d+ resources disagrees.*beacons\.lighthouse\.example\.dev\. S\d writes? v\d/)
  const row = page.locator('.row-disagreed')
  await row.waitFor()
  assert.match((await row.textContent()) ?? '', /^beacons\.lighthouse\.example\.devno/)
  await page.waitForSelector('.played-roll >> text=/^done, 3 of 3/', { timeout: patience.giveUpMs })
  const releases = await page.locator('.server-release').allTextContents()
  assert.deepEqual(releases, ['x+2', 'x+2', 'x+2'])
  await untilSaid(page, /^All \d+ resources agree/)
}

async function showsMigration(page: Page): Promise<void> {
  await show(page, 'Migrations')
  const card = page.locator('.card-succeeded', { hasText: 'beacons' })
  await card.waitFor({ timeout: patience.giveUpMs })
  const text = (await card.textContent()) ?? ''
  assert.match(text, new RegExp(`100 %.*${count} of ${count}.*proven: every object is in the target version`))
  await show(page, 'Storage')
  await page.click('.storage-name:has-text("beacons")')
  await page.waitForSelector(`.drawer .bar >> text=/^v2 ${count}$/`)
  await page.waitForSelector('.drawer .badge-proven')
  await page.keyboard.press('Escape')
}

async function showsVerdict(page: Page): Promise<void> {
  await show(page, 'Safety')
  await page.click('.releases >> text="x"')
  await page.waitForSelector(
    '.safety-sentence >> text=/^Unsafe: 1 of \\d+ resources may have objects that x cannot read/',
  )
  const verdict = (await page.locator('.verdict-row').first().textContent()) ?? ''
  assert.match(verdict, /^beacons\.lighthouse\.example\.devunsafestoredv2readsv1/)
  await page.click('.releases >> text="x+3"')
  await page.waitForSelector('.safety-sentence >> text="Safe: x+3 can read everything that is stored."')
}

async function loadsAndCrashes(page: Page): Promise<void> {
  const { giveUpMs: timeout } = patience
  await page.selectOption('#load', '50')
  await page.waitForSelector('.played-written >> text=/^[1-9]\\d* written/', { timeout })
  await page.selectOption('#load', '0')
  await page.click('button[aria-label="Crash strata-2"]')
  await page.waitForSelector('.lane-faults .event[aria-label*="has crashed"]', { timeout, state: 'attached' })
  await until(
    'it is back',
    async () => (await page.locator('.played-ready').count()) === 3 || undefined,
    patience,
  )
}
