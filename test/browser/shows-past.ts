import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { assertAccessible } from './page-watch.ts'
import { sentence, show, untilSaid } from './shown-page.ts'

/** A moment of the past: the page as it was then, with nothing in it that was found later; and back to now. */
export async function showsThePast(page: Page): Promise<void> {
  await show(page, 'Agreement')
  const nowAt = (await page.locator('.row:has-text("beacons") .cell').first().textContent()) ?? ''
  // While a server starts, others may disagree for a moment.
  for (let steps = 0; !/disagree.*beacons/.test((await sentence(page)) ?? ''); steps++) {
    assert.ok(steps < 100, 'beacons disagree at no moment of the past')
    await page.keyboard.press('[')
  }
  assert.ok(new URL(page.url()).searchParams.has('at'), page.url())
  await page.waitForSelector('.moment >> text=/^You see \\d\\d:\\d\\d:\\d\\d$/')
  assert.equal(await page.locator('.played button:enabled').count(), 0)
  await page.waitForSelector('.playground >> text=/^These controls act now: /')
  await countsNothing(page)
  // The events of the mark are listed, and the list is left before the moment is.
  await page.locator('.lane-servers .event').first().click()
  await page.waitForSelector('.picked li >> text=/^\\d\\d:\\d\\d:\\d\\d/')
  await assertAccessible(page, 'a moment of the past')
  await page.keyboard.press('Escape')
  await page.waitForSelector('.picked', { state: 'detached' })
  await page.click('text="Back to now"')
  await untilSaid(page, /^All \d+ resources agree/)
  assert.equal(new URL(page.url()).searchParams.has('at'), false)
  assert.notEqual(await page.locator('.played button:enabled').count(), 0)
  assert.equal(await page.locator('.row:has-text("beacons") .cell').first().textContent(), nowAt)
  await moves(page)
}

/** A count is of now, and reads every object: at a moment of the past none is shown, and none is begun. */
async function countsNothing(page: Page): Promise<void> {
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/storagecensuses')) asked.push(request.postData() ?? '')
  })
  await show(page, 'Storage')
  await page.click('.storage-name:has-text("beacons")')
  await page.waitForSelector('.drawer >> text=/^This is what the record said then\\./')
  const said = (await page.textContent('.drawer')) ?? ''
  assert.doesNotMatch(said, /No object is stored|in an old version or key\b|strata census/)
  assert.match(said, /v[12] \?/)
  assert.equal((await page.locator('.storage-total').allTextContents()).join(''), '')
  await page.keyboard.press('Escape')
  await show(page, 'Safety')
  await page.waitForSelector('text=/^A release is checked against what is stored now/')
  await show(page, 'Agreement')
  assert.deepEqual(asked, [])
}

/** A drag shows a moment and settles on it; a wheel shows less time. */
async function moves(page: Page): Promise<void> {
  const box = await page.locator('.track').boundingBox()
  assert.ok(box)
  const { x, y, width } = box
  const ticks = (): Promise<string> => page.locator('.axis').innerText()
  await page.mouse.move(x + width * 0.9, y + 6)
  await page.mouse.down()
  await page.mouse.move(x + width * 0.97, y + 6, { steps: 3 })
  await page.mouse.up()
  assert.ok(new URL(page.url()).searchParams.has('at'), page.url())
  const before = await ticks()
  await page.mouse.wheel(0, -400)
  await page.waitForFunction(`document.querySelector('.axis').innerText !== ${JSON.stringify(before)}`)
  await page.keyboard.press('n')
  await page.waitForSelector('.moment >> text="now"')
}
