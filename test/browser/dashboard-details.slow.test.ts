import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { ApiObject } from '@strata/api'
import type { Page } from 'playwright-core'
import { TestBrowser } from '../support/browser.ts'
import { isFullSize } from '../support/full-size.ts'
import { CannedCluster } from './canned-cluster.ts'
import { cannedObjects, cannedResult, cannedReviews, hostile, nowMs } from './canned-fleet.ts'
import { assertAccessible, shiftsOf, watchShifts } from './page-watch.ts'

const records = 'strata.dev/v1alpha1/storageagreements'
const leases = 'coordination.k8s.io/v1/leases'
const viewport = { width: 1280, height: 800 }

const browser = await TestBrowser.start()
after(() => browser.close())

/** A page before a fleet at which the time stands still. */
async function withPage(body: (page: Page, cluster: CannedCluster) => Promise<void>): Promise<void> {
  await using cluster = await CannedCluster.start(cannedObjects, cannedReviews())
  const { page, problems, external } = await browser.open({ viewport, reducedMotion: 'reduce' })
  await page.clock.setFixedTime(nowMs)
  await page.goto(cluster.url)
  await page.waitForSelector('.row-disagreed')
  await body(page, cluster)
  assert.deepEqual([problems, external], [[], []])
  await page.close()
}

const goTo = (page: Page, view: string): Promise<void> => page.click(`.tabs >> text="${view}"`)

test('names and messages of others are text, wherever they are shown', () =>
  withPage(async (page) => {
    const isText = async (where: string): Promise<void> => {
      await page.locator(where, { hasText: hostile }).first().waitFor()
      assert.equal(await page.locator('img').count(), 0, where)
      assert.notEqual(await page.title(), '1', where)
    }
    await goTo(page, 'Storage')
    await page.click('.storage-name:has-text("lamps")')
    await isText('.drawer .stale')
    await assertAccessible(page, 'the drawer of Storage')
    await goTo(page, 'Migrations')
    await page.click('summary >> text=/schema/')
    await page.click('summary >> text=/denied by admission/')
    await isText('.set-aside .mono')
    await isText('.set-aside .muted')
    await goTo(page, 'Safety')
    await page.click('.releases button >> nth=0')
    await isText('.verdict-row')
    await goTo(page, 'Rehearsal')
    await page.fill('#pasted', cannedResult)
    await page.click('.load-text button')
    await page.click('.steps li:nth-child(3) button')
    await isText('.step-details')
  }))

test('the old layer is a band in the drawer, over time', () =>
  withPage(async (page, cluster) => {
    await goTo(page, 'Storage')
    await page.click('.storage-name:has-text("lamps")')
    await page.waitForSelector('.drawer .bar >> text=/^v1 500$/')
    const lamps = cluster.objects[records]?.find(({ metadata }) => metadata.name === 'example.dev.lamps')
    assert.ok(lamps)
    // A change of the record is a reason to count again.
    cluster.change(records, { ...lamps, metadata: { ...lamps.metadata, resourceVersion: '8' } })
    await page.waitForSelector('.drawer .bar >> text=/^v1 100$/')
    await page.waitForSelector('.drawer .plot .band-old')
    assert.equal(await page.locator('.drawer .plot .band').count(), 2)
  }))

test('a server that falls silent, or leaves, moves nothing', () =>
  withPage(async (page, cluster) => {
    await watchShifts(page)
    await page.reload()
    await page.waitForSelector('.row-disagreed')
    const lease = cluster.objects[leases]?.[1] as (ApiObject & { readonly spec: object }) | undefined
    assert.ok(lease)
    const silent = { ...lease, spec: { ...lease.spec, renewTime: new Date(nowMs - 60_000).toISOString() } }
    const changed = { ...silent, metadata: { ...lease.metadata, resourceVersion: '8' } }
    cluster.change(leases, changed as ApiObject)
    await page.waitForSelector('.server-note >> text=/^silent for/')
    cluster.change(leases, changed as ApiObject, 'DELETED')
    await page.waitForSelector('.server-note >> text=/^gone/')
    assert.deepEqual(await shiftsOf(page), [])
  }))

test('who may only read gets the command of a button', () =>
  withPage(async (page) => {
    await goTo(page, 'Migrations')
    const card = page.locator('.card-running')
    await card.locator('text="Pause"').click()
    await card.locator('.copyable code').waitFor()
    assert.equal(
      await card.locator('.copyable code').textContent(),
      'kubectl annotate storageversionmigrations.migration.k8s.io/running strata.dev/paused=true',
    )
    assert.equal(await card.locator('.card-phase').textContent(), 'running')
  }))

test('the page is used by keyboard', () =>
  withPage(async (page) => {
    const focused = (): Promise<string> =>
      page.evaluate(
        '(document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent)',
      )
    await page.click('.fold-button')
    await page.locator('[data-cell]').first().focus()
    assert.equal(await focused(), 'beacons.example.dev')
    for (const [key, want] of [
      ['ArrowDown', /^lamps\.example\.dev$/],
      ['ArrowRight', /^lamps\.example\.dev: writes v2/],
      ['End', /^lamps\.example\.dev: writes v2/],
      ['ArrowUp', /^beacons\.example\.dev: writes v1/],
      ['Home', /^beacons\.example\.dev$/],
    ] as const) {
      await page.keyboard.press(key)
      assert.match(await focused(), want, key)
    }
    await page.keyboard.press('Enter')
    await page.waitForSelector('.drawer >> text=May be stored')
    await page.keyboard.press('Escape')
    await page.keyboard.press('/')
    await page.keyboard.type('zon')
    await page.waitForSelector('.grid:not(:has-text("towers")) >> text=/zones/')
    await page.keyboard.press('Escape')
    await page.keyboard.press('g')
    await page.keyboard.press('s')
    await page.waitForSelector('.storage')
    await page.keyboard.press('?')
    await page.waitForSelector('dialog[open] >> text="this help"')
    await assertAccessible(page, 'the help')
    await page.keyboard.press('Escape')
    await page.waitForSelector('dialog[open]', { state: 'detached' })
  }))

const loads = 5
/** What the page may ask for before it says how the fleet is: itself, its session, discovery, and the lists that it watches. */
const mostRequests = 14
const mostMs = 500

test('the sentence is there soon', async (t) => {
  await using cluster = await CannedCluster.start(cannedObjects)
  const seen: { readonly paint: number; readonly sentence: number; readonly requests: number }[] = []
  for (let load = 0; load < loads; load++) {
    const { page } = await browser.open({ viewport })
    await page.addInitScript(`
      new MutationObserver((_, observer) => {
        if (!/resources/.test(document.querySelector('.sentence-line')?.textContent ?? '')) return
        observer.disconnect()
        // Once it is painted.
        requestAnimationFrame(() => setTimeout(() => {
          globalThis.sentenceMs = performance.now()
        }))
      }).observe(document, { subtree: true, childList: true, characterData: true })`)
    await page.goto(cluster.url)
    await page.waitForFunction('globalThis.sentenceMs > 0')
    seen.push(
      await page.evaluate(`({
        paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN,
        sentence: sentenceMs,
        requests: performance.getEntriesByType('resource').filter((each) => each.startTime < sentenceMs).length,
      })`),
    )
    await page.close()
  }
  const best = (of: 'paint' | 'sentence'): number => Math.min(...seen.map((each) => each[of]))
  t.diagnostic(
    `first contentful paint ${best('paint').toFixed(0)} ms, sentence ${best('sentence').toFixed(0)} ms`,
  )
  for (const { paint, sentence, requests } of seen) {
    assert.ok(paint <= sentence, `painted after ${paint} ms, and the sentence after ${sentence}`)
    assert.ok(requests <= mostRequests, `${requests} requests`)
  }
  // Beside other tests it would be a measure of them.
  if (isFullSize) assert.ok(best('sentence') < mostMs, `${best('sentence')} ms`)
})
