import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { TestBrowser } from '../support/browser.ts'
import { CannedCluster } from './canned-cluster.ts'
import { cannedObjects, cannedResult, cannedReviews, nowMs } from './canned-fleet.ts'
import { differenceOf } from './compare-pictures.ts'
import { assertAccessible, overflowOf } from './page-watch.ts'

/** Someone has looked at these. With STRATA_APPROVE=1 this test writes them anew: look at each before it is committed. */
const approved = join(import.meta.dirname, 'approved')
const isApproving = process.env.STRATA_APPROVE === '1'
/** Fonts of other machines draw letters a little differently; a moved box or another colour is more than that. */
const mostDifference = 0.005

const sizes = [
  ['screen', { width: 1280, height: 800 }],
  ['phone', { width: 390, height: 844 }],
] as const
const schemes = ['light', 'dark'] as const

/** What is done, and what is waited for, before a view looks as it is meant to. */
const views: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
  agreement: (page) => page.waitForSelector('.row-disagreed'),
  storage: (page) => page.waitForSelector('.storage-line:has-text("lamps") .storage-total:has-text("1,200")'),
  migrations: (page) => page.waitForSelector('.set-aside >> text=/denied by admission/'),
  safety: async (page) => {
    await page.fill('#release', 'x+3')
    await page.click('text="Check"')
    await page.waitForSelector('.verdict-row >> nth=1')
  },
  rehearsal: async (page) => {
    await page.fill('#pasted', cannedResult)
    await page.click('.load-text button')
    await page.click('.steps li:nth-child(3) button')
    await page.waitForSelector('.step-details >> text=/an object is lost/')
  },
}

test('the page looks as it was approved', async (t) => {
  await using browser = await TestBrowser.start()
  for (const [name, viewport] of sizes)
    for (const colorScheme of schemes) {
      const { page, problems } = await browser.open({
        ...{ viewport, colorScheme, reducedMotion: 'reduce', timezoneId: 'UTC' },
      })
      await page.clock.setFixedTime(nowMs)
      for (const [view, look] of Object.entries(views))
        await t.test(`${view} on a ${name}, ${colorScheme}`, async () => {
          await using cluster = await CannedCluster.start(cannedObjects, cannedReviews())
          await page.goto(`${cluster.url}${view}`)
          await page.waitForSelector('.sentence-line:has-text("1 of 5 resources disagrees")')
          await page.waitForSelector('.timeline .tick')
          await look(page)
          await page.mouse.move(0, 0)
          await page.evaluate('document.activeElement?.blur(); scrollTo(0, 0)')
          const picture = await page.screenshot({ animations: 'disabled' })
          const wide = await overflowOf(page)
          assert.ok(wide <= 0, `${view} is ${wide} px wider than a ${name}`)
          // Each view, size and scheme is in one of the two.
          if ((name === 'screen') === (colorScheme === 'light'))
            await assertAccessible(page, `${view} on a ${name}, ${colorScheme}`)
          await comparePicture(page, join(approved, `${view}-${name}-${colorScheme}.png`), picture)
        })
      assert.deepEqual(problems, [])
      await page.close()
    }
})

async function comparePicture(page: Page, file: string, picture: Buffer): Promise<void> {
  if (isApproving) {
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, picture)
  }
  const difference = await differenceOf(page, await readFile(file), picture)
  assert.ok(
    difference < mostDifference,
    `${Math.round(difference * 1_000) / 10} % differ; if the new look is right: STRATA_APPROVE=1`,
  )
}

test('pictures are compared: the same one, and one in other colours', async () => {
  await using browser = await TestBrowser.start()
  const { page } = await browser.open()
  const [one, other] = await Promise.all(
    schemes.map((each) => readFile(join(approved, `agreement-screen-${each}.png`))),
  )
  assert.ok(one && other)
  assert.equal(await differenceOf(page, one, one), 0)
  assert.ok((await differenceOf(page, one, other)) > 0.5)
})
