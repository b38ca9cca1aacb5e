import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiObject } from '@strata/api'
import { observedFleet, recordOf } from '@strata/dashboard/observed-for-test'
import type { Page } from 'playwright-core'
import { TestBrowser } from '../support/browser.ts'
import { until } from '../support/until.ts'
import { CannedCluster, type CannedObjects } from './canned-cluster.ts'
import { assertAccessible } from './page-watch.ts'

const records = 'strata.dev/v1alpha1/storageagreements'
const censuses = 'strata.dev/v1alpha1/storagecensuses'
const leases = 'coordination.k8s.io/v1/leases'

/** What a cluster of these servers and records serves now. */
function objectsOf({ records: { objects }, leases: found }: ReturnType<typeof observedFleet>): CannedObjects {
  const renewTime = new Date().toISOString()
  const renewed = found.objects.map((each) => ({ ...each, spec: { ...each.spec, renewTime } }))
  return { [records]: objects, [leases]: renewed } as unknown as CannedObjects
}

const servers = [...'abcdefghi']
const all = (version: string) => Object.fromEntries(servers.map((each) => [each, version]))
const many = Array.from({ length: 500 }, (_, index) =>
  recordOf(`kind${String(index).padStart(3, '0')}`, all('v1')),
)

const nodes = (page: Page): Promise<number> => page.evaluate('document.querySelectorAll("*").length')
const untilSaid = (page: Page, what: RegExp) =>
  until(
    `the sentence says ${what}`,
    async () => what.test((await page.textContent('.sentence-line')) ?? '') || undefined,
  )

test('500 resources of 9 servers: the page stays small, and one change draws one row', async () => {
  await using cluster = await CannedCluster.start(objectsOf(observedFleet(servers, many)))
  await using browser = await TestBrowser.start()
  const { page, problems } = await browser.open({ viewport: { width: 1280, height: 800 } })
  await page.goto(cluster.url)
  await untilSaid(page, /^All 500 resources agree/)
  const least = await nodes(page)
  assert.ok(least < 4_000, `${least} elements`)
  await page.evaluate('document.querySelector(".grid-box").scrollTo(0, 1e6)')
  await page.waitForSelector('.row:has-text("kind499")')
  assert.ok((await nodes(page)) < 4_000)
  await page.evaluate(`
    globalThis.touched = new Set()
    new MutationObserver((changes) => {
      for (const { target } of changes) {
        const element = target.nodeType === 1 ? target : target.parentElement
        const row = element?.closest('tr')?.textContent
        if (row && !element.closest('time')) touched.add(row)
      }
    }).observe(document.querySelector('.grid'), { subtree: true, childList: true, characterData: true, attributes: true })`)
  const { metadata, ...rest } = recordOf(
    'kind490',
    { ...all('v1'), a: 'v2' },
    { agreedVersion: 'example.dev/v1' },
  )
  cluster.change(records, { ...rest, metadata: { ...metadata, resourceVersion: '8' } } as ApiObject)
  await page.waitForSelector('.row-disagreed:has-text("kind490")')
  await untilSaid(page, /^1 of 500 resources disagrees: kind490\.example\.dev\. S1 writes v2, /)
  const touched = (await page.evaluate('[...touched].filter((row) => /^kind/.test(row))')) as string[]
  assert.ok(touched.length <= 1, `drawn anew: ${touched.join('\n')}`)
  assert.deepEqual(problems, [])
})

const counted = {
  ...{ resourceVersion: '9', agreedVersion: 'example.dev/v1' },
  ...{ total: 7, stale: 0, unreadable: 0, proven: true },
}
const encodings = [{ encodingVersion: 'example.dev/v1', key: '', count: 7 }]

test('500 resources in Storage: only those in sight are drawn and counted', async () => {
  await using cluster = await CannedCluster.start(objectsOf(observedFleet(servers, many)), {
    [censuses]: () => ({ ...counted, encodings }),
  })
  await using browser = await TestBrowser.start()
  const { page, problems } = await browser.open({ viewport: { width: 1280, height: 800 } })
  await page.goto(`${cluster.url}storage`)
  const lineOf = (name: string) => page.locator('.storage-line', { hasText: name })
  await lineOf('kind000').locator('.storage-total:text-is("7")').waitFor()
  await page.evaluate('scrollTo(0, 1e6)')
  await lineOf('kind499').locator('.storage-total:text-is("7")').waitFor()
  const least = await nodes(page)
  assert.ok(least < 4_000, `${least} elements`)
  // What is in sight is counted in order: what comes after it would have been asked for by now.
  const names = new Set(cluster.asked.map(({ resource }) => resource))
  assert.ok(names.size < 60 && !names.has('kind250'), `${names.size} resources were counted`)
  assert.equal(cluster.asked.length, names.size)
  assert.deepEqual(problems, [])
})

const states: ReadonlyArray<[name: string, objects: CannedObjects, said: RegExp, advice: RegExp]> = [
  [
    'a cluster of other API servers',
    { 'apps/v1/deployments': [], [leases]: [] },
    /^This cluster keeps no agreement records\.$/,
    /strata inspect.*strata verify --all/,
  ],
  ['no server yet', { [records]: [], [leases]: [] }, /^No server has reported yet\.$/, /strata up/],
  [
    'one server',
    objectsOf(observedFleet(['a'], [recordOf('things', { a: 'v1' })])),
    /^The one resource is agreed on, and nothing is stored/,
    /S1/,
  ],
]
test('what there is to say where there is no fleet to show', async (t) => {
  await using browser = await TestBrowser.start()
  for (const [name, objects, said, advice] of states)
    await t.test(name, async () => {
      await using cluster = await CannedCluster.start(objects)
      const { page, problems } = await browser.open()
      await page.goto(cluster.url)
      await untilSaid(page, said)
      assert.match((await page.textContent('.columns')) ?? '', advice)
      assert.deepEqual(problems, [])
      await page.close()
    })
})

test('a connection that is lost is said at once; what is shown stays', async () => {
  await using browser = await TestBrowser.start()
  const { page } = await browser.open()
  {
    await using cluster = await CannedCluster.start(objectsOf(observedFleet(['a', 'b'], many.slice(0, 3))))
    await page.goto(cluster.url)
    await untilSaid(page, /agree/)
  }
  await page.waitForSelector('text=/^Connection lost. What is shown is from/')
  await untilSaid(page, /^No server answers, for \d+s\./)
  await assertAccessible(page, 'a connection that is lost')
  assert.match((await page.textContent('.grid')) ?? '', /kind000\.example\.dev/)
})
