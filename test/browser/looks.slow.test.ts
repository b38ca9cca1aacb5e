import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { nowMs, observedFleet, recordOf } from '@strata/dashboard/observed-for-test'
import { TestBrowser } from '../support/browser.ts'
import { CannedCluster, type CannedObjects } from './canned-cluster.ts'
import { differenceOf } from './compare-pictures.ts'

/** Someone has looked at these. With STRATA_APPROVE=1 this test writes them anew: look at each before it is committed. */
const approved = join(import.meta.dirname, 'approved')
const isApproving = process.env.STRATA_APPROVE === '1'
/** Fonts of other machines draw letters a little differently; a moved box or another colour is more than that. */
const mostDifference = 0.04

const agreed = ['lamps', 'signals', 'towers', 'zones'].map((name) =>
  recordOf(name, { a: 'v1', b: 'v1', c: 'v1' }, { agreedSince: at(-120_000) }),
)
const beacons = recordOf('beacons', { a: 'v2', b: 'v1', c: 'v1' })
const { records, leases } = observedFleet(['a', 'b', 'c'], [beacons, ...agreed])
const objects = {
  'strata.dev/v1alpha1/storageagreements': records.objects,
  'coordination.k8s.io/v1/leases': leases.objects.map((each) => ({
    ...each,
    spec: { ...each.spec, renewTime: at(-1_000) },
  })),
} as unknown as CannedObjects

function at(ms: number): string {
  return new Date(nowMs + ms).toISOString()
}

const sizes = [
  ['screen', { width: 1280, height: 800 }],
  ['phone', { width: 390, height: 844 }],
] as const
const views = ['agreement', 'storage'] as const

test('the page looks as it was approved', async (t) => {
  await using cluster = await CannedCluster.start(objects)
  await using browser = await TestBrowser.start()
  for (const [name, viewport] of sizes)
    for (const colorScheme of ['light', 'dark'] as const)
      for (const view of views)
        await t.test(`${view} on a ${name}, ${colorScheme}`, async () => {
          const { page } = await browser.open({
            viewport,
            colorScheme,
            reducedMotion: 'reduce',
            timezoneId: 'UTC',
          })
          await page.clock.setFixedTime(nowMs)
          await page.goto(`${cluster.url}${view}`)
          await page.waitForSelector('.sentence-line:has-text("1 of 5 resources disagrees")')
          await page.waitForSelector('.timeline .tick')
          const picture = await page.screenshot({ animations: 'disabled' })
          const file = join(approved, `${view}-${name}-${colorScheme}.png`)
          if (isApproving) {
            await mkdir(dirname(file), { recursive: true })
            await writeFile(file, picture)
          }
          const difference = await differenceOf(page, await readFile(file), picture)
          assert.ok(
            difference < mostDifference,
            `${Math.round(difference * 1_000) / 10} % differ; if the new look is right: STRATA_APPROVE=1`,
          )
          await page.close()
        })
})

test('pictures are compared: the same one, and one in other colours', async () => {
  await using browser = await TestBrowser.start()
  const { page } = await browser.open()
  const [one, other] = await Promise.all(
    ['light', 'dark'].map((each) => readFile(join(approved, `agreement-screen-${each}.png`))),
  )
  assert.ok(one && other)
  assert.equal(await differenceOf(page, one, one), 0)
  assert.ok((await differenceOf(page, one, other)) > 0.5)
})
