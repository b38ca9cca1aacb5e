import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import type { TestBrowser } from '../support/browser.ts'
import { StrataProcess } from '../support/serve-process.ts'
import { assertAccessible } from './page-watch.ts'
import { lanternCrd, type PlayedFleet } from './played-fleet.ts'
import { show, untilSaid } from './shown-page.ts'

/** A user with just the rights that a command prints. What they may not do is refused with the reason and a command. */
export async function signsInWithPrintedRights(browser: TestBrowser, fleet: PlayedFleet): Promise<void> {
  const printed = new StrataProcess('rbac', [
    ...['rbac', 'dashboard', lanternCrd, '--serviceaccount', 'default:viewer', '-o', 'json'],
  ])
  assert.equal((await printed.ended()).code, 0, printed.output)
  await fleet.createAll(JSON.parse(printed.stdout).items)
  const { page } = await browser.open({ ignoreHTTPSErrors: true, viewport: { width: 1280, height: 800 } })
  await page.goto(`${fleet.urls[0]}/dashboard/agreement`)
  await signIn(page, await fleet.tokenOf('viewer'))
  await untilSaid(page, /\. /)
  assert.equal(await page.textContent('.header-user'), 'signed in as system:serviceaccount:default:viewer')
  await page.waitForSelector('.grid >> text=/beacons/')
  await show(page, 'Storage')
  await page
    .locator('.storage-line', { hasText: lanternCrd })
    .locator('.storage-total:text-is("3")')
    .waitFor()
  await page.click('.storage-fold button')
  await page.click('.storage-name:has-text("beacons")')
  await page.waitForSelector(
    '.drawer .problem >> text=/strata rbac dashboard beacons.lighthouse.example.dev/',
  )
  await page.keyboard.press('Escape')
  await show(page, 'Migrations')
  const card = page.locator('.card', { hasText: lanternCrd })
  await card.locator('text="Cancel"').click()
  await card
    .locator('[role=alert] >> text=/viewer" cannot patch resource "storageversionmigrations"/')
    .waitFor()
  await card
    .locator('.copyable >> text=/^kubectl annotate storageversionmigrations.* strata.dev.cancel=true$/')
    .waitFor()
  await page.close()
}

/** The browser presents a certificate of the fleet's authority: no token is typed. */
export async function signsInWithCertificate(
  browser: TestBrowser,
  fleet: PlayedFleet,
  dataDir: string,
): Promise<void> {
  const [origin = ''] = fleet.urls
  const pki = join(dataDir, 'pki')
  const { page } = await browser.open({
    ignoreHTTPSErrors: true,
    clientCertificates: [{ origin, certPath: join(pki, 'admin.crt'), keyPath: join(pki, 'admin.key') }],
  })
  await page.goto(`${origin}/dashboard/`)
  await page.click('text="Use the client certificate of this browser"')
  await untilSaid(page, /resources? /)
  assert.equal(await page.textContent('.header-user'), 'signed in as admin')
  await page.close()
}

/** A token that is wrong, and one of a user without rights. */
export async function refusesGuests(browser: TestBrowser, fleet: PlayedFleet): Promise<void> {
  const { page } = await browser.open({
    ignoreHTTPSErrors: true,
    colorScheme: 'dark',
    reducedMotion: 'reduce',
  })
  await page.goto(`${fleet.urls[0]}/dashboard/storage`)
  await signIn(page, 'not-a-token')
  await page.waitForSelector('text=The server does not accept this token')
  await assertAccessible(page, 'the sign-in page')
  await signIn(page, await fleet.tokenOf('guest'))
  await page.waitForSelector('text=You may not read the agreement records of this fleet.')
  await page.waitForSelector('.notice >> text=storageagreements.strata.dev')
  await assertAccessible(page, 'a user without rights')
  assert.equal(await page.locator('.playground').count(), 0)
  // A server plays no rehearsals, and one needs no rights to look at a result.
  await show(page, 'Rehearsal')
  await page.fill('#pasted', 'steps: []')
  await page.click('.load-text >> text="Show"')
  await page.waitForSelector('.load-problems >> text=/load what "strata rehearse .* -o json" prints/')
  await page.close()
}

async function signIn(page: Page, token: string): Promise<void> {
  await page.fill('#token', token)
  await page.click('text="Sign in" >> nth=-1')
}
