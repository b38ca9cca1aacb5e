import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import type { UpFleet } from '../support/up-process.ts'
import { assertAccessible } from './page-watch.ts'
import { patience } from './played-fleet.ts'
import { show } from './shown-page.ts'

const { giveUpMs: timeout } = patience

/** A server is frozen and thawed from the page. Then the scene of the fence is played, and the page shows what it proved. */
export async function playsFence(page: Page, up: UpFleet): Promise<void> {
  await show(page, 'Agreement')
  await page.click('button[aria-label="Freeze strata-3"]')
  await page.waitForSelector('.played-frozen')
  await page.waitForSelector('.lane-faults .event')
  await page.click('button[aria-label="Thaw strata-3"]')
  await page.waitForSelector('.played-frozen', { state: 'detached' })
  const playing = up.strata('playground', 'scene', 'fence', '--yes')
  const proven = page.locator('.scene-proven')
  await proven.waitFor({ timeout })
  assert.match(
    (await proven.textContent()) ?? '',
    /^strata-3 was frozen .*it tried to store v\d, and the store refused \d+ writes?; .*and not one more in v\d\.$/,
  )
  const { exit, output } = await playing
  assert.equal(exit.code, 0, output)
  await page.locator('.scene-ended summary').click()
  await page.waitForSelector(
    '.scene-ended >> text=/the store refused \\d+ writes?; stored while it was frozen/',
  )
  await assertAccessible(page, 'a scene that was played')
  await page.locator('.scene-ended summary').click()
}
