import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { assertAccessible, overflowOf } from './page-watch.ts'

const summary = '.rehearsal-summary'

/** An example is played, its verdict and story are read, and a file that is wrong is refused with its field. */
export async function playsRehearsal(page: Page): Promise<void> {
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  await page.click('.tabs >> text="Rehearsal"')
  await page.click('.example >> text="paused-server-unfenced"')
  await page.waitForSelector(`${summary} >> text=/^AS EXPECTED on kube-apiservers/`)
  assert.match(new URL(page.url()).pathname, /\/rehearsal\/paused-server-unfenced$/)
  await page.click('.steps >> text="release v1.0"')
  await page.keyboard.press('ArrowRight')
  await page.waitForSelector('.step-shown >> text="upgrade v1.1"')
  await page.waitForSelector('.stored .bar >> text=/^v1beta1 2$/')
  await page.click('.steps >> text="prune all"')
  await page.click('.play >> text="Play"')
  await page.waitForSelector('.step-details >> text="5. upgrade v1.2"')
  const story = await page.locator('.story').first().textContent()
  assert.match(story ?? '', /arrives, and is stored in scenes\.example\.dev\/v1beta1/)
  await assertAccessible(page, 'a rehearsal')
  await fitsPhone(page)
  await page.click('text="Load another"')
  // A browser reports a path that the gateway refuses as an error of the console.
  await page.fill('#pasted', '{"rehearsals": [{"verdict": "fine"}]}')
  await page.click('.load-text >> text="Play"')
  await page.waitForSelector('.load-problems >> text=/rehearsals\\[0\\].verdict has to be one of: safe/')
  await assertAccessible(page, 'a rehearsal that is wrong')
}

async function fitsPhone(page: Page): Promise<void> {
  await page.setViewportSize({ width: 390, height: 844 })
  const wide = await overflowOf(page)
  await page.setViewportSize({ width: 1280, height: 800 })
  assert.ok(wide <= 0, `the rehearsal is ${wide} px wider than a phone`)
}
