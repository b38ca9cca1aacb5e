import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configMaps, parseFieldSelector, parseLabelSelector, type ResourceDefinition } from '@strata/api'
import { createMemoryStore, MemoryData } from '../../store/homes.ts'
import { Collection } from '../../watch-cache/collection.ts'
import { createServedApi } from '../served/served-api.ts'
import { cachedPage, type SelectedPage, storedPage } from './page.ts'
import { createSelection } from './selection.ts'

const never = new AbortController().signal
const api = createServedApi([configMaps] as unknown as readonly ResourceDefinition[], undefined)
const maps = api.find('', 'v1', 'configmaps')
assert.ok(maps)

const prefix = '/registry/configmaps/'
const data = new MemoryData()
const keys = ['one/a', 'one/ab', 'one/b', 'one/c', 'one/d', 'two/a', 'two/b']
keys.forEach((key, index) => {
  const metadata = { name: key.slice(4), ...(index % 2 === 0 ? { labels: { even: 'y' } } : {}) }
  const value = Buffer.from(JSON.stringify({ kind: 'ConfigMap', apiVersion: 'v1', metadata }))
  data.commit({ writes: [{ kind: 'put', key: prefix + key, value }], guards: [] })
})
const collection = new Collection(prefix)
collection.reset(data.list({ prefix }).entries, data.revision)

const shown = ({ entries, remaining }: SelectedPage): string =>
  `${entries.map(({ key }) => key.slice(prefix.length)).join(' ')} +${remaining}`

const cases: ReadonlyArray<
  [namespace: string, labels: string, fields: string, limit: number | undefined, after: string, want: string]
> = [
  ['', '', '', undefined, '', 'one/a one/ab one/b one/c one/d two/a two/b +0'],
  ['one', '', '', undefined, '', 'one/a one/ab one/b one/c one/d +0'],
  ['one', '', '', 2, '', 'one/a one/ab +3'],
  ['one', '', '', 5, '', 'one/a one/ab one/b one/c one/d +0'],
  ['one', '', '', 2, 'one/b', 'one/c one/d +0'],
  ['', '', '', 3, 'one/c', 'one/d two/a two/b +0'],
  ['', 'even', '', 2, '', 'one/a one/b +4'],
  ['', 'even', '', 2, 'one/b', 'one/d two/b +0'],
  ['', '!even', '', undefined, '', 'one/ab one/c two/a +0'],
  ['one', '', 'metadata.name=a', undefined, '', 'one/a +0'],
  ['one', '', 'metadata.name=a', 5, 'one/a', ' +0'],
  ['one', '', 'metadata.name=missing', undefined, '', ' +0'],
  ['', '', 'metadata.name=a', 1, '', 'one/a +6'],
  ['', '', 'metadata.namespace=two', undefined, '', 'two/a two/b +0'],
]
for (const [namespace, labels, fields, limit, after, want] of cases) {
  const asked = [namespace, labels, fields, limit, after].join(' ')
  test(`page: cache and store agree on "${asked}"`, async () => {
    const selectors = { labels: parseLabelSelector(labels), fields: parseFieldSelector(fields) }
    const selection = createSelection(maps, namespace, selectors)
    const request = { selection, limit, after: after === '' ? undefined : prefix + after }
    assert.equal(shown(cachedPage(collection, request)), want)
    const store = createMemoryStore(data)
    assert.equal(shown(await storedPage(store, data.revision, request, never)), want)
  })
}
