import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { type OpenPage, TestBrowser } from '../support/browser.ts'
import { createCertificates } from '../support/certificates.ts'
import { linkIn } from '../support/dashboard-session.ts'
import { until } from '../support/until.ts'
import { withUpFleet } from '../support/up-process.ts'
import { WebhookProcess } from '../support/webhook-process.ts'
import { assertAccessible, overflowOf, shiftsOf, watchShifts } from './page-watch.ts'
import { lanternCrd, PlayedFleet, patience } from './played-fleet.ts'
import { playsRehearsal } from './plays-rehearsal.ts'
import { show, untilSaid } from './shown-page.ts'
import { showsThePast } from './shows-past.ts'

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
      await t.test('each view is accessible, in light and dark, on a screen and on a phone', () =>
        looksGood(page),
      )
      await t.test('a rolling upgrade is seen to its end', () => showsUpgrade(page))
      await t.test('the migration after it is seen to be done, and proven', () => showsMigration(page))
      await t.test('the timeline shows the upgrade, and the page as it was in it', () => showsThePast(page))
      await t.test('a verdict names what is unsafe, and what mends it', () => showsVerdict(page))
      await t.test('a frozen server is seen, and the fence refuses what it goes on to write', () =>
        showsFence(page, fleet),
      )
      await t.test('an object that was set aside has its reason and its fix', () =>
        showsQuarantine(page, fleet),
      )
      await t.test('a rehearsal is played, and its verdict and story are read', () => playsRehearsal(page))
      await t.test('the page had no error, asked for nothing elsewhere, and nothing jumped', async () => {
        assert.deepEqual([open.problems, open.external], [[], []])
        assert.deepEqual(await shiftsOf(page), [])
      })
      await t.test('a token of a user without rights shows which rights are missing', () =>
        refusesGuests(browser, fleet),
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
  const looks = [
    [{ width: 1280, height: 800 }, 'light', ['agreement', 'safety']],
    [{ width: 390, height: 844 }, 'dark', ['storage', 'migrations']],
  ] as const
  for (const [size, colorScheme, shown] of looks) {
    await page.setViewportSize(size)
    await page.emulateMedia({ colorScheme })
    for (const view of shown) {
      await page.goto(new URL(`/dashboard/${view}`, page.url()).href)
      await untilSaid(page, /^All \d+ resources agree/)
      await assertAccessible(page, `${view}, ${size.width}, ${colorScheme}`)
      assert.deepEqual(await shiftsOf(page), [], view)
      const wide = await overflowOf(page)
      assert.ok(wide <= 0, `${view} is ${wide} px wider than a screen of ${size.width}`)
    }
  }
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.emulateMedia({ colorScheme: 'light' })
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

/** The thawed server may read the new agreement before it goes on with a write: then nothing has to be refused. */
const mostRounds = 6

async function showsFence(page: Page, fleet: PlayedFleet): Promise<void> {
  await fleet.createLanterns()
  await show(page, 'Agreement')
  const before = await fleet.refusedByFence(2)
  let refused = 0
  for (let round = 1; round <= mostRounds && refused === 0; round++) {
    await freezeAndSwitch(page, fleet, round)
    refused = (await fleet.refusedByFence(2)) - before
  }
  assert.ok(refused > 0, `no write was refused in ${mostRounds} rounds`)
}

async function freezeAndSwitch(page: Page, fleet: PlayedFleet, round: number): Promise<void> {
  const stop = new AbortController()
  let sent = 0
  const write = async (client: number): Promise<void> => {
    for (let number = 0; !stop.signal.aborted; number++) {
      sent++
      await fleet.createLantern(`r${round}-${client}-${number}`, { server: 2 })
    }
  }
  const writing = Promise.all(Array.from({ length: 20 }, (_, client) => write(client)))
  await until('clients write', () => sent > 40, patience)
  await page.click('button[aria-label="Freeze strata-3"]')
  await page.waitForSelector('.played-frozen')
  stop.abort()
  const version = round % 2 === 1 ? 'v2' : 'v1'
  await page.selectOption(`select[id="crd-${lanternCrd}"]`, version)
  const cells = page.locator(`.row:has-text("${lanternCrd}") .cell .layer-name`)
  const now = async (wanted: readonly string[]): Promise<true | undefined> =>
    (await cells.allTextContents()).join() === wanted.join() || undefined
  const old = version === 'v2' ? 'v1' : 'v2'
  await until('the others write it', () => now([version, version, old]), patience)
  await page.click('button[aria-label="Thaw strata-3"]')
  await writing
  await until('all write it', () => now([version, version, version]), patience)
}

async function showsQuarantine(page: Page, fleet: PlayedFleet): Promise<void> {
  const certificates = await createCertificates()
  const webhook = await WebhookProcess.start(certificates)
  try {
    await fleet.guardLanterns(webhook.origin, certificates.ca)
    const stored = await page.inputValue(`select[id="crd-${lanternCrd}"]`)
    await page.selectOption(`select[id="crd-${lanternCrd}"]`, stored === 'v1' ? 'v2' : 'v1')
    await show(page, 'Migrations')
    const card = page.locator('.card', { hasText: lanternCrd }).filter({ hasText: 'set aside' }).first()
    await card.waitFor({ timeout: patience.giveUpMs })
    const text = (await card.textContent()) ?? ''
    assert.match(
      text,
      /1 set aside.*denied by admission.*change these objects or the policy.*default\/guarded/,
    )
  } finally {
    await webhook.kill()
    await certificates.remove()
  }
}

async function refusesGuests(browser: TestBrowser, fleet: PlayedFleet): Promise<void> {
  const { page } = await browser.open({ ignoreHTTPSErrors: true })
  await page.goto(`${fleet.urls[0]}/dashboard/storage`)
  await page.fill('#token', 'not-a-token')
  await page.click('text="Sign in" >> nth=-1')
  await page.waitForSelector('text=The server does not accept this token')
  await page.fill('#token', await fleet.tokenWithoutRights())
  await page.click('text="Sign in" >> nth=-1')
  await page.waitForSelector('text=You may not read the agreement records of this fleet.')
  await page.waitForSelector('.notice >> text=storageagreements.strata.dev')
  assert.equal(await page.locator('.playground').count(), 0)
  // A server plays no rehearsals, and one needs no rights to look at a result.
  await show(page, 'Rehearsal')
  await page.fill('#pasted', 'steps: []')
  await page.click('.load-text >> text="Show"')
  await page.waitForSelector('.load-problems >> text=/load what "strata rehearse .* -o json" prints/')
  await page.close()
}
